"""The findings of an examination in words: one sentence for each pair, from its numbers."""

from __future__ import annotations

from rosettabench.reasons.parts import Explanation, Pair, PartEstimate
from rosettabench.report.words import figures
from rosettabench.report.words.doubt import PARTS, doubts_words
from rosettabench.report.words.enumeration import enumerate_words
from rosettabench.report.words.headline import Headline
from rosettabench.report.words.verdict import level_words
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.summary.reasons import is_bent
from rosettabench.summary.records import ExaminedPair, Reasons


def pair_headlines(reasons: Reasons) -> list[Headline]:
    """Return the headline of every pair of an examination."""
    return [pair_headline(reasons.explanation, one) for one in reasons.pairs]


def pair_headline(explanation: Explanation, one: ExaminedPair) -> Headline:
    """Return the headline of a pair: ratio and parts, or the doubts that prevent a verdict."""
    if one.doubts:
        return Headline(f"{one.pair.slower} and {one.pair.faster}: no verdict", doubts_words(one.doubts))
    return Headline(pair_answer(explanation, one.pair, one.verdict), pair_evidence(one.pair))


def pair_answer(explanation: Explanation, pair: Pair, verdict: Verdict) -> str:
    """Return by how much one is slower, or that the rounds do not show it; without a full stop."""
    size = explanation.measured.batch_size
    if verdict.finding is Finding.FASTER and verdict.interval is not None:
        times = f"{figures.ratio(verdict.interval.ratio)} the time of {verdict.faster} at batch {size}"
        return f"{verdict.slower} takes {times} ({figures.interval_words(verdict.interval)})"
    if verdict.finding is Finding.EQUIVALENT:
        return f"{pair.slower} and {pair.faster} are equally fast at batch {size}: {level_words(verdict)}"
    return f"No difference found yet between {pair.slower} and {pair.faster} at batch {size}"


def pair_evidence(pair: Pair) -> str:
    """Return the parts of the difference, the largest first; parts that may be zero come last."""
    ordered = sorted(pair.parts, key=lambda name: -abs(pair.parts[name].value))
    sure = [name for name in ordered if pair.parts[name].excludes(0)]
    unsure = [name for name in ordered if name not in sure]
    more = figures.seconds(pair.more.value)
    words = [f"{difference(pair.parts[name])} {PARTS[name]}" for name in sure]
    told = (
        f"Of the {more} more, {enumerate_words(words)}."
        if words
        else f"No part of the {more} more is surely above zero."
    )
    if unsure and words:
        parts = {name: pair.parts[name] for name in unsure}
        said = [f"{PARTS[name]} ({figures.seconds_range(one.low, one.high)})" for name, one in parts.items()]
        told += f" Perhaps zero: {enumerate_words(said)}."
    return told


def difference(part: PartEstimate) -> str:
    """Return a part with its interval. A negative sign means that it works in the other direction."""
    return f"{figures.seconds(part.value)} ({figures.seconds_span(part.value, part.low, part.high)})"


def remarks(explanation: Explanation) -> list[str]:
    """Return remarks: where the line does not fit, what could not be separated, and how it was measured."""
    told = []
    for step in explanation.steps:
        bent = [size for size, bend in step.bends.items() if is_bent(bend)]
        if bent:
            worst = max(bent, key=lambda size: abs(step.bends[size].value))
            bend = step.bends[worst]
            told.append(
                f"{step.label}: the line does not fit: at batch {worst} a step takes {abs(bend.value):.0%} "
                f"{'more' if bend.value > 0 else 'less'} than predicted. "
                "Launch and arithmetic are then only approximate."
            )
    for one in explanation.measured.subjects:
        told += [
            f"{one.label}: {WITHOUT[what]} cannot be measured separately in this framework ({why})."
            for what, why in one.unsupported.items()
            if what in WITHOUT and not (what == "update" and one.cell("backpropagate", explanation.measured.batch_size))
        ]
    return told


WITHOUT = {"reuse": "the input pipeline", "update": "the optimiser", "profile": "the operations"}
"""{request of the protocol: what an examination lacks if a framework does not offer it}."""
