"""The answer of a contest: who is first, and by which verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rosettabench.statistics.ranking import Ranked
from rosettabench.statistics.verdict import Finding, Verdict


@dataclass(frozen=True)
class ContestAnswer:
    """Who is first: `labels` share the first place, as everybody does who is not surely slower than the first.

    `pairs` are the verdicts that this rests on: that of the fastest on the nearest of the others, or all on those who
    share the place. There are none where only one can be ranked, and no labels where nobody can.
    """

    labels: tuple[str, ...] = ()
    pairs: tuple[Verdict, ...] = ()


def find_answer(ranking: Sequence[Ranked], verdicts: Sequence[Verdict]) -> ContestAnswer:
    """Return the answer that follows from a ranking and the verdicts on all pairs."""
    if len(ranking) < 2:
        return ContestAnswer(tuple(row.label for row in ranking))
    first = ranking[0].label
    against = {other(verdict, first): verdict for verdict in verdicts if first in (verdict.faster, verdict.slower)}
    level = [row.label for row in ranking[1:] if against[row.label].finding is not Finding.FASTER]
    if not level:
        return ContestAnswer((first,), (min(against.values(), key=distance),))
    return ContestAnswer((first, *level), tuple(one for one in verdicts if {one.faster, one.slower} <= {first, *level}))


def distance(verdict: Verdict) -> float:
    """Return the ratio between the two of a pair."""
    return verdict.interval.ratio if verdict.interval else 1.0


def other(verdict: Verdict, label: str) -> str:
    """Return the pair's other label."""
    return verdict.slower if verdict.faster == label else verdict.faster
