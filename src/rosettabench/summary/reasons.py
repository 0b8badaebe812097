"""Reasons in words: one sentence for each pair, from the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.catalogue.switch import all_switches
from rosettabench.reasons.measured import MeasuredRounds
from rosettabench.reasons.parts import Explanation, Pair, PartEstimate
from rosettabench.reasons.shortfall import Circumstances, Entrant, find_shortfalls
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.oddities import Oddity
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.summary import figures
from rosettabench.summary.doubts import cast_doubts
from rosettabench.summary.records import Headline, Reasons
from rosettabench.summary.sentences import enumerate_words, interval_words, level_words
from rosettabench.summary.shortfalls import shortfall_words

NAMES = {
    "arithmetic": "per-sample arithmetic",
    "launch": "launch and interpreter",
    "optimiser": "optimiser",
    "input": "input",
    "bend": "what no line over batch sizes explains",
}
"""The parts of a step, as sentences call them."""

BENT = 0.1
"""From this deviation on, relative to the line, the line is said not to fit: as much as neighbouring blocks of a shared
machine differ."""

UNKNOWN = Circumstances(device="cpu", at_ceiling=None, recurrent=False)
"""Where nothing is known of what a contest held equal."""


def summarise_reasons(
    measured: MeasuredRounds | None,
    margin: float = 0.02,
    seen: Sequence[Oddity] = (),
    entrants: Sequence[Entrant] = (),
    circumstances: Circumstances = UNKNOWN,
) -> Reasons | None:
    """Return what follows from the rounds of an examination; None where there was none.

    `margin` is that of practical equivalence, `seen` what was odd about its rounds. `entrants` are the contenders of
    which it may be told that they are far below what the machine can do under these `circumstances`.
    """
    from rosettabench.reasons.parts import explain

    if measured is None:
        return None
    explanation = explain(measured)
    judged = list(zip(explanation.pairs, verdicts(explanation, margin, seen), strict=True))
    with_verdict = {
        label
        for pair, verdict in judged
        if not doubts(explanation, pair, verdict, seen)
        for label in (pair.slower, pair.faster)
    }
    able = [one for one in entrants if one.label in with_verdict]
    shortfalls = find_shortfalls(explanation, able, circumstances, all_switches())
    return Reasons(
        pairs=tuple(answer(explanation, pair, verdict, seen) for pair, verdict in judged),
        shortfalls=tuple(shortfall_words(one, explanation.measured.confidence) for one in shortfalls),
        remarks=tuple(remarks(explanation)),
        explanation=explanation,
    )


def verdicts(explanation: Explanation, margin: float, seen: Sequence[Oddity]) -> list[Verdict]:
    """Return the verdict on every pair of an examination, by the rules of a run: from the rounds of the whole step."""
    size = explanation.measured.batch_size
    cells = {one.label: one.cell("train", size) for one in explanation.measured.subjects}
    rounds = {label: dict(enumerate(cell.seconds, start=1)) for label, cell in cells.items() if cell is not None}
    processes = dict.fromkeys(range(1, explanation.rounds + 1), 1)
    return cast_doubts(compare(rounds, explanation.measured.confidence, margin, processes), seen)


def answer(explanation: Explanation, pair: Pair, verdict: Verdict, seen: Sequence[Oddity]) -> Headline:
    """Return what is said of a pair: no ratio, and of which parts it is made up, where there is no verdict on it."""
    if reasons := doubts(explanation, pair, verdict, seen):
        return Headline(f"{pair.slower} and {pair.faster}: no verdict", reasons)
    return Headline(headline(explanation, pair, verdict), evidence(explanation, pair))


def doubts(explanation: Explanation, pair: Pair, verdict: Verdict, seen: Sequence[Oddity]) -> str:
    """Return why there is no verdict on a pair; "" where there is one."""
    why = [one.sentence for one in seen if isinstance(one, Busy)] or [verdict.doubt]
    why += [] if verdict.interval else [f"{explanation.rounds} rounds are too few for an interval."]
    why += below_zero(explanation, pair)
    return " ".join(filter(None, why))


def below_zero(explanation: Explanation, pair: Pair) -> list[str]:
    """Return which contenders of a pair have a part that surely takes less than no time, by more than BENT of a step.

    The rounds of such an examination do not fit together.
    """
    steps = [step for step in explanation.steps if step.label in (pair.slower, pair.faster)]
    return [
        f"The {NAMES[name]} of {step.label} is below zero ({span_words(part)}): its rounds do not fit together."
        for step in steps
        for name, part in step.parts.items()
        if name != "bend" and part.high < 0 and -part.value > BENT * step.total.value
    ]


def headline(explanation: Explanation, pair: Pair, verdict: Verdict) -> str:
    """Return by how much one is slower, or that the rounds do not show it; without its full stop."""
    size = explanation.measured.batch_size
    if verdict.finding is Finding.FASTER and verdict.interval is not None:
        times = f"{figures.ratio(verdict.interval.ratio)} the time of {verdict.faster} at batch {size}"
        return f"{verdict.slower} takes {times} ({interval_words(verdict.interval)})"
    level = f"{pair.slower} and {pair.faster} do not differ surely at batch {size}"
    return f"{level}: {level_words(verdict)}" if verdict.finding is Finding.EQUIVALENT else level


def evidence(explanation: Explanation, pair: Pair) -> str:
    """Return of which parts the difference is made up, the largest first; those not parted from zero stand behind."""
    ordered = sorted(pair.parts, key=lambda name: -abs(pair.parts[name].value))
    sure = [name for name in ordered if pair.parts[name].excludes(0)]
    unsure = [name for name in ordered if name not in sure]
    more = figures.seconds(pair.more.value)
    words = [f"{difference(pair.parts[name])} {NAMES[name]}" for name in sure]
    told = (
        f"Of the {more} more, {enumerate_words(words)}."
        if words
        else f"No part of the {more} more is surely above zero."
    )
    if unsure and words:
        told += (
            f" Perhaps zero: {enumerate_words([f'{NAMES[name]} ({span_words(pair.parts[name])})' for name in unsure])}."
        )
    return told


def difference(part: PartEstimate) -> str:
    """Return a part with its interval; one that works the other way says so by its sign."""
    return f"{figures.seconds(part.value)} ({figures.seconds_span(part.value, part.low, part.high)})"


def span_words(part: PartEstimate) -> str:
    """Return the interval of a part with its unit."""
    widest = max(abs(part.low), abs(part.high))
    return f"{figures.seconds_span(widest, part.low, part.high)} {figures.fitting(widest, figures.TIMES).name}"


def is_bent(bend: PartEstimate) -> bool:
    """Return whether a batch size surely lies off the line, and by enough to matter."""
    return bend.excludes(0) and abs(bend.value) > BENT


def remarks(explanation: Explanation) -> list[str]:
    """Return what a reader must know: where the line does not fit, what could not be told apart, and how it was."""
    told = []
    for step in explanation.steps:
        bent = [size for size, bend in step.bends.items() if is_bent(bend)]
        if bent:
            worst = max(bent, key=lambda size: abs(step.bends[size].value))
            bend = step.bends[worst]
            told.append(
                f"{step.label}: a line does not fit: at batch {worst} a step takes {abs(bend.value):.0%} "
                f"{'more' if bend.value > 0 else 'less'} than it says. "
                "Launch and arithmetic are then no more than a summary."
            )
    for one in explanation.measured.subjects:
        told += [
            f"{one.label}: {WITHOUT[what]} cannot be measured apart in this framework ({why})."
            for what, why in one.unsupported.items()
            if what in WITHOUT and not (what == "update" and one.cell("backpropagate", explanation.measured.batch_size))
        ]
    return told


WITHOUT = {"reuse": "the input pipeline", "update": "the optimiser", "profile": "the operations"}
"""By request: what an explanation does without where a framework does not offer it."""
