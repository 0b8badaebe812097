"""The answer of a contest: which contender is first, and by which verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rosettabench.statistics.ranking import Ranked
from rosettabench.statistics.verdict import Finding, Verdict


@dataclass(frozen=True)
class ContestAnswer:
    """The first place of a contest: `labels` share it, since none of them is surely slower than the first.

    `pairs` are the verdicts behind it: that on the fastest and the nearest other contender, or those on the contenders
    that share the place. `pairs` is empty if only one contender is ranked; `labels` is empty if none is. Where several
    share it, `behind` are the verdicts on the first of them and each contender that is surely slower.
    """

    labels: tuple[str, ...] = ()
    pairs: tuple[Verdict, ...] = ()
    behind: tuple[Verdict, ...] = ()


def find_answer(ranking: Sequence[Ranked], verdicts: Sequence[Verdict]) -> ContestAnswer:
    """Return the answer that follows from a ranking and the verdicts on all pairs."""
    if len(ranking) < 2:
        return ContestAnswer(tuple(row.label for row in ranking))
    first = ranking[0].label
    against = {other(verdict, first): verdict for verdict in verdicts if first in (verdict.faster, verdict.slower)}
    level = [row.label for row in ranking[1:] if against[row.label].finding is not Finding.FASTER]
    if not level:
        return ContestAnswer((first,), (min(against.values(), key=distance),))
    shared = tuple(one for one in verdicts if {one.faster, one.slower} <= {first, *level})
    behind = tuple(against[row.label] for row in ranking[1:] if row.label not in level)
    return ContestAnswer((first, *level), shared, behind)


def distance(verdict: Verdict) -> float:
    """Return the distance of a pair: the ratio of its times, at least 1."""
    return verdict.interval.ratio if verdict.interval else 1.0


def other(verdict: Verdict, label: str) -> str:
    """Return the pair's other label."""
    return verdict.slower if verdict.faster == label else verdict.faster
