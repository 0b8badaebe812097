"""Many contenders: every pair compared at once, and ranks with ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, log

from rosettabench.statistics.between import PRIOR, widen_interval
from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.statistics.means import mean_ratio
from rosettabench.statistics.rounds import Processes, Rounds, by_process, possible, ratios
from rosettabench.statistics.spread import interval_over_processes
from rosettabench.statistics.verdict import Finding, Verdict, judge

LOOKS = 2
"""How often a contest asks its processes whether they decide (plan/schedule.py): Student's t is no confidence sequence,
so each look takes its share of the permitted error (Bonferroni)."""

NO_PROCESSES: Processes = {}
"""Where nothing is known of processes, all rounds count as one's."""


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


def pairs(contenders: int) -> int:
    """Return how many pairs so many contenders make: the verdicts that are to hold together; at least 1."""
    return max(1, contenders * (contenders - 1) // 2)


def relative_time(a: Rounds, b: Rounds, processes: Processes, confidence: float, tests: int = 1) -> Interval | None:
    """Return the interval of b's time over a's; None where the common rounds are too few.

    Where there were fresh processes, it spans that over the rounds and that over the processes: what is said must hold
    for other processes than these, and no less for these. The latter is for one of LOOKS. Where all rounds are known to
    be of one process of each, it allows for what others differ by (between.py).
    """
    over_rounds = ratio_interval(ratios(a, b), confidence, tests)
    sessions = by_process(a, processes), by_process(b, processes)
    if over_rounds is not None and len(sessions[0].keys() | sessions[1].keys()) == 1:
        return widen_interval(over_rounds, PRIOR, confidence, tests)
    over_processes = interval_over_processes(*sessions, confidence, LOOKS * tests)
    if over_rounds is None or over_processes is None:
        return over_rounds
    low, high = min(over_rounds.low, over_processes.low), max(over_rounds.high, over_processes.high)
    return replace(over_rounds, low=low, high=high)


def compare(
    contenders: Mapping[str, Rounds],
    confidence: float,
    margin: float,
    processes: Processes = NO_PROCESSES,
    tests: int = 1,
) -> list[Verdict]:
    """Return the verdict on every pair; all of them, after every round, hold together at `confidence`.

    With `tests` > 1 so many contests' verdicts do.
    """
    tests *= pairs(len(contenders))
    return [
        judge(
            a,
            b,
            relative_time(contenders[a], contenders[b], processes, confidence, tests),
            margin,
            mean_ratio(contenders[a], contenders[b], processes, confidence, tests),
        )
        for a, b in combinations(contenders, 2)
    ]


def rank(
    contenders: Mapping[str, Rounds],
    verdicts: Sequence[Verdict],
    confidence: float,
    processes: Processes = NO_PROCESSES,
) -> list[Ranked]:
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
            relative = relative_time(contenders[ordered[0]], contenders[label], processes, confidence, tests)
        table.append(Ranked(label, 1 + surely_slower.count(label), typical[label], relative))
    return table


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers: the mean that goes with ratios."""
    return exp(sum(map(log, values)) / len(values))
