"""Whether the verdicts of a bundle hold here: each verdict beside that of a run of this machine.

The two runs are judged apart. No ratio ever holds times of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rosettabench.evidence.content import Bundle, Judgement, StatedInterval, StatedVerdict
from rosettabench.evidence.judgement import judge_run
from rosettabench.statistics.verdict import Finding

if TYPE_CHECKING:
    from rosettabench.store.schema import Run


class Holding(StrEnum):
    """Whether a stated verdict holds here."""

    HOLDS = "holds"
    """The same finding, and the intervals overlap."""
    OTHER_RATIO = "same order, another ratio"
    """The same contender is faster, and the intervals do not overlap."""
    UNDECIDED = "undecided here"
    CONTRADICTED = "contradicted"
    """Another finding, and the intervals do not overlap."""
    NOTHING_STATED = "nothing stated"
    """The bundle's run did not decide the pair."""


@dataclass(frozen=True)
class RepeatedVerdict:
    """A verdict of a bundle beside that of the repetition, with the labels of the bundle."""

    contest: int
    workload: str
    stated: StatedVerdict
    here: StatedVerdict | None
    holding: Holding


def compare_verdicts(bundle: Bundle, run: Run) -> tuple[RepeatedVerdict, ...]:
    """Return every verdict of a bundle beside that of a run here, which has the same contests and entries."""
    return tuple(
        RepeatedVerdict(stated.contest, stated.workload, one, other, holding(one, other))
        for stated, here in zip(bundle.judgements, judge_run(run), strict=True)
        for one, other in pairs(stated, here, labels(bundle, run, stated.contest))
    )


def labels(bundle: Bundle, run: Run, contest: int) -> dict[str, str]:
    """Return {label here: label in the bundle} of the entries of a contest: interpreters have other paths here."""
    here, there = run.contests[contest - 1].entries, bundle.contests[contest - 1].entries
    return {one.label: other.label for one, other in zip(here, there, strict=True)}


def pairs(
    stated: Judgement, here: Judgement, names: dict[str, str]
) -> Iterator[tuple[StatedVerdict, StatedVerdict | None]]:
    """Yield each stated verdict with that of the same pair here; None if the pair has none here."""
    found = [rename(one, names) for one in here.verdicts]
    for one in stated.verdicts:
        same = [other for other in found if {other.faster, other.slower} == {one.faster, one.slower}]
        yield one, next(iter(same), None)


def rename(one: StatedVerdict, names: dict[str, str]) -> StatedVerdict:
    """Return a verdict with other labels."""
    return one.model_copy(update={"faster": names[one.faster], "slower": names[one.slower]})


def holding(stated: StatedVerdict, here: StatedVerdict | None) -> Holding:
    """Return whether a stated verdict holds here.

    Findings that differ contradict each other only if their intervals do not overlap; else one run was merely less
    sure.
    """
    if stated.finding is Finding.OPEN or stated.interval is None:
        return Holding.NOTHING_STATED
    if here is None or here.finding is Finding.OPEN or here.interval is None:
        return Holding.UNDECIDED
    overlaps = overlap(stated.interval, turn_interval(here, stated.faster))
    if stated.finding is not here.finding:
        return Holding.UNDECIDED if overlaps else Holding.CONTRADICTED
    if stated.finding is Finding.EQUIVALENT:
        return Holding.HOLDS
    if stated.faster != here.faster:
        return Holding.CONTRADICTED
    return Holding.HOLDS if overlaps else Holding.OTHER_RATIO


def turn_interval(one: StatedVerdict, faster: str) -> StatedInterval:
    """Return the interval of a verdict as that of the other's time over that of `faster`."""
    assert one.interval is not None
    found = one.interval
    if one.faster == faster:
        return found
    ends = {"ratio": 1 / found.ratio, "low": 1 / found.high, "high": 1 / found.low}
    return found.model_copy(update=ends)


def overlap(one: StatedInterval, other: StatedInterval) -> bool:
    """Return whether two intervals have a ratio in common."""
    return one.low <= other.high and other.low <= one.high


def number_of(found: Sequence[RepeatedVerdict], *kinds: Holding) -> int:
    """Return how many verdicts are of some kinds."""
    return sum(one.holding in kinds for one in found)
