"""Many contenders: every pair compared at once, and ranks with ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.statistics.verdict import Finding, Verdict, judge

Rounds = Mapping[int, float]
"""Round to seconds per step, of one contender."""

SHORTEST_S, LONGEST_S = 1e-9, 1e9
"""The unit of the clocks, and thirty years: what lies outside was not measured by a clock that goes right."""


@dataclass(frozen=True)
class Ranked:
    """A contender's place: 1 + how many are surely faster, so that those nobody could part share a rank.

    `relative` is the interval of its time over the reference contender's, None for that one itself and where the rounds
    are too few.
    """

    label: str
    rank: int
    seconds_per_step: float
    relative: Interval | None


def ratios(a: Rounds, b: Rounds) -> list[float]:
    """Return b's time over a's for each round that both took part in, in the order of rounds.

    A round with a time that no clock can have measured is left out; oddities.py tells of it.
    """
    common = sorted(a.keys() & b.keys())
    return [b[number] / a[number] for number in common if possible(a[number]) and possible(b[number])]


def possible(seconds: float) -> bool:
    """Whether a step can have been measured to take so long."""
    return SHORTEST_S <= seconds <= LONGEST_S


def pairs(contenders: int) -> int:
    """Return how many pairs so many contenders make: the verdicts that are to hold together; at least 1."""
    return max(1, contenders * (contenders - 1) // 2)


def compare(contenders: Mapping[str, Rounds], confidence: float, margin: float) -> list[Verdict]:
    """Return the verdict on every pair; all of them, after every round, hold together at `confidence`."""
    tests = pairs(len(contenders))
    return [
        judge(a, b, ratio_interval(ratios(contenders[a], contenders[b]), confidence, tests), margin)
        for a, b in combinations(contenders, 2)
    ]


def rank(contenders: Mapping[str, Rounds], verdicts: Sequence[Verdict], confidence: float) -> list[Ranked]:
    """Return the contenders from fastest to slowest, with ties.

    Times relative to the fastest have intervals that hold together, over all pairs and rounds, at `confidence`: they
    are the same as those of the verdicts.
    """
    tests = pairs(len(contenders))
    surely_slower = [verdict.slower for verdict in verdicts if verdict.finding is Finding.FASTER]
    measured = {label: list(filter(possible, rounds.values())) for label, rounds in contenders.items()}
    typical = {label: geometric_mean(seconds) for label, seconds in measured.items() if seconds}
    ordered = sorted(typical, key=lambda label: (surely_slower.count(label), typical[label]))
    table = []
    for label in ordered:
        relative = None
        if label != ordered[0]:
            relative = ratio_interval(ratios(contenders[ordered[0]], contenders[label]), confidence, tests)
        table.append(Ranked(label, 1 + surely_slower.count(label), typical[label], relative))
    return table


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers: the mean that goes with ratios."""
    return exp(sum(map(log, values)) / len(values))
