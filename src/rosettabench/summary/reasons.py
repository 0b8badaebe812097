"""Where the differences of an examination lie: every pair with its verdict, and contenders far below the ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.switch import all_switches
from rosettabench.reasons.measured import MeasuredRounds
from rosettabench.reasons.parts import Explanation, Pair, PartEstimate
from rosettabench.reasons.shortfall import Circumstances, EnteredContender, find_shortfalls
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.doubt import Doubt, TooFewRounds
from rosettabench.statistics.oddities import Oddity
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Verdict
from rosettabench.summary.doubts import cast_doubts
from rosettabench.summary.records import ExaminedPair, Reasons

BENT = 0.1
"""The deviation from the line, relative to it, from which the line does not fit. Neighbouring blocks on a shared
machine differ as much."""

UNKNOWN = Circumstances(device="cpu", at_ceiling=None, recurrent=False)
"""Used if nothing is known of what a contest held equal."""


@dataclass(frozen=True)
class BelowZero(Doubt):
    """A part of a contender's step takes surely less than zero time, so its rounds do not fit together."""

    label: str
    name: str
    part: PartEstimate


def summarise_reasons(
    measured: MeasuredRounds | None,
    margin: float = 0.02,
    seen: Sequence[Oddity] = (),
    entered: Sequence[EnteredContender] = (),
    circumstances: Circumstances = UNKNOWN,
) -> Reasons | None:
    """Return the findings from the rounds of an examination; None if there was no examination.

    `margin` is the margin of equivalence, `seen` are the oddities of the rounds. `entered` are the contenders that may
    be reported as far below the ceiling under these `circumstances`.
    """
    from rosettabench.reasons.parts import explain

    if measured is None:
        return None
    explanation = explain(measured)
    judged = zip(explanation.pairs, verdicts(explanation, margin, seen), strict=True)
    pairs = tuple(ExaminedPair(pair, one, tuple(doubts(explanation, pair, one, seen))) for pair, one in judged)
    with_verdict = {label for one in pairs if not one.doubts for label in (one.pair.slower, one.pair.faster)}
    able = [one for one in entered if one.label in with_verdict]
    shortfalls = find_shortfalls(explanation, able, circumstances, all_switches())
    return Reasons(pairs, tuple(shortfalls), explanation)


def verdicts(explanation: Explanation, margin: float, seen: Sequence[Oddity]) -> list[Verdict]:
    """Return the verdict on every pair of an examination, by the rules of a run, from the rounds of the whole step."""
    size = explanation.measured.batch_size
    cells = {one.label: one.cell("train", size) for one in explanation.measured.subjects}
    rounds = {label: dict(enumerate(cell.seconds, start=1)) for label, cell in cells.items() if cell is not None}
    processes = dict.fromkeys(range(1, explanation.rounds + 1), 1)
    return cast_doubts(compare(rounds, explanation.measured.confidence, margin, processes), seen)


def doubts(explanation: Explanation, pair: Pair, verdict: Verdict, seen: Sequence[Oddity]) -> Iterator[Doubt]:
    """Yield the reasons why there is no verdict on a pair; nothing if there is one."""
    yield from [one for one in seen if isinstance(one, Busy)] or verdict.doubts
    if verdict.interval is None:
        yield TooFewRounds(explanation.rounds)
    yield from below_zero(explanation, pair)


def below_zero(explanation: Explanation, pair: Pair) -> list[BelowZero]:
    """Return the contenders of a pair with a part that surely takes less than zero time, by more than BENT of a step.

    The rounds of such an examination do not fit together.
    """
    steps = [step for step in explanation.steps if step.label in (pair.slower, pair.faster)]
    return [
        BelowZero(step.label, name, part)
        for step in steps
        for name, part in step.parts.items()
        if name != "bend" and part.high < 0 and -part.value > BENT * step.total.value
    ]


def is_bent(bend: PartEstimate) -> bool:
    """Return whether a batch size surely deviates from the line, and by enough to matter."""
    return bend.excludes(0) and abs(bend.value) > BENT
