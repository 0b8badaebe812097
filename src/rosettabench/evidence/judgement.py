"""The verdicts that the blocks of a run allow, in the form of a bundle; and whether two of them are the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import isclose
from typing import TYPE_CHECKING

from rosettabench.evidence.content import Judgement, StatedInterval, StatedPlace, StatedVerdict
from rosettabench.summary.contest import summarise_contest
from rosettabench.summary.measured_contest import measured_contests

if TYPE_CHECKING:
    from rosettabench.statistics.interval import Interval
    from rosettabench.statistics.verdict import Verdict
    from rosettabench.store.schema import Run
    from rosettabench.summary.records import ContestSummary

ROUNDING = 1e-6
"""The relative difference that two machines may have in one interval: its ends are found by bisection."""


def judge_run(run: Run) -> tuple[Judgement, ...]:
    """Return what the blocks of each contest of a fully loaded run say."""
    summaries = map(summarise_contest, measured_contests(run))
    return tuple(judgement(number, summary) for number, summary in enumerate(summaries, start=1))


def judgement(number: int, contest: ContestSummary) -> Judgement:
    """Return the judgement of contest `number`."""
    return Judgement(
        contest=number,
        workload=contest.workload,
        ranking=tuple(StatedPlace(label=one.label, rank=one.rank) for one in contest.ranked if one.rank is not None),
        verdicts=tuple(map(verdict, contest.verdicts)),
        control=verdict(contest.control.verdict) if contest.control else None,
    )


def verdict(found: Verdict) -> StatedVerdict:
    """Return a verdict in the form of a bundle."""
    return StatedVerdict(
        finding=found.finding,
        faster=found.faster,
        slower=found.slower,
        margin=found.margin,
        interval=interval(found.interval),
        mean=interval(found.mean),
        doubts=tuple(sorted({type(doubt).__name__ for doubt in found.doubts})),
    )


def interval(found: Interval | None) -> StatedInterval | None:
    """Return an interval in the form of a bundle."""
    if found is None:
        return None
    return StatedInterval(
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        confidence=found.confidence,
        rounds=found.rounds,
        steady=found.steady,
    )


def differences(stated: Sequence[Judgement], computed: Sequence[Judgement]) -> Iterator[str]:
    """Yield a sentence for each stated judgement that the blocks do not give."""
    for one, other in zip_longest(stated, computed):
        if one is None or other is None:
            yield f"{len(stated)} contests have verdicts, and {len(computed)} have blocks"
            return
        where = f"contest {one.contest}, {one.workload}"
        if (one.contest, one.workload) != (other.contest, other.workload):
            yield f"{where}: the blocks are those of contest {other.contest}, {other.workload}"
        elif one.ranking != other.ranking:
            yield f"{where}: the ranking is stated as {rank_words(one)}, and the blocks give {rank_words(other)}"
        else:
            pairs = zip_longest([*one.verdicts, one.control], [*other.verdicts, other.control])
            yield from (
                f"{where}: {words(a)} is stated, and the blocks give {words(b)}" for a, b in pairs if not same(a, b)
            )


def same(one: StatedVerdict | None, other: StatedVerdict | None) -> bool:
    """Return whether two verdicts are the same but for rounding."""
    if one is None or other is None:
        return one is other
    told = ("finding", "faster", "slower", "margin", "doubts")
    return all(getattr(one, name) == getattr(other, name) for name in told) and all(
        same_interval(a, b) for a, b in ((one.interval, other.interval), (one.mean, other.mean))
    )


def same_interval(one: StatedInterval | None, other: StatedInterval | None) -> bool:
    """Return whether two intervals are the same but for rounding."""
    if one is None or other is None:
        return one is other
    ends = [(getattr(one, name), getattr(other, name)) for name in ("ratio", "low", "high", "confidence")]
    return (one.rounds, one.steady) == (other.rounds, other.steady) and all(
        isclose(a, b, rel_tol=ROUNDING) for a, b in ends
    )


def rank_words(one: Judgement) -> str:
    """Return a ranking in words."""
    return ", ".join(f"{place.rank}. {place.label}" for place in one.ranking) or "empty"


def words(one: StatedVerdict | None) -> str:
    """Return a verdict in words."""
    if one is None:
        return "no verdict"
    ratio = (
        ""
        if one.interval is None
        else f" ({one.interval.ratio:.6g}: {one.interval.low:.6g} to {one.interval.high:.6g})"
    )
    return f"{one.faster} and {one.slower}: {one.finding}{ratio}"
