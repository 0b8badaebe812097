"""The answer of a contest: which contender is first, and by which verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rosettabench.statistics.ranking import Ranked
from rosettabench.statistics.verdict import Finding, Verdict


@dataclass(frozen=True)
class ContestAnswer:
    """The first place of a contest: `labels` share it, since none of them is surely slower than any other contender.

    `pairs` are the verdicts behind it: that on the fastest and the nearest contender that is surely slower, or those on
    the contenders that share the place. `pairs` is empty if only one contender is ranked; `labels` is empty if none is.
    Where several share it, `behind` are the verdicts on one of them and the contenders that are surely slower than it:
    the fastest that has any.
    """

    labels: tuple[str, ...] = ()
    pairs: tuple[Verdict, ...] = ()
    behind: tuple[Verdict, ...] = ()


def find_answer(ranking: Sequence[Ranked], verdicts: Sequence[Verdict]) -> ContestAnswer:
    """Return the answer that follows from a ranking and the verdicts on all pairs."""
    if len(ranking) < 2:
        return ContestAnswer(tuple(row.label for row in ranking))
    place = {row.label: number for number, row in enumerate(ranking)}
    parted = [one for one in verdicts if one.finding is Finding.FASTER and place[one.faster] < place[one.slower]]
    slower = {one.slower for one in parted}
    first = tuple(label for label in place if label not in slower)
    lead = {label: [one for one in parted if one.faster == label] for label in first}
    if len(first) == 1:
        return ContestAnswer(first, (min(lead[first[0]], key=distance),))
    shared = tuple(one for one in verdicts if {one.faster, one.slower} <= set(first))
    leading = next(filter(None, lead.values()), [])
    return ContestAnswer(first, shared, tuple(sorted(leading, key=lambda one: place[one.slower])))


def distance(verdict: Verdict) -> float:
    """Return the distance of a pair: the ratio of its times, at least 1."""
    return verdict.interval.ratio if verdict.interval else 1.0
