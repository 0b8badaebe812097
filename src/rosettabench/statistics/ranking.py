"""Compare all pairs of many contenders together, and rank the contenders with ties."""

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
"""How many looks a contest over several processes has (plan/schedule.py). Student's t is not a confidence sequence, so
each look takes a share of the permitted error (Bonferroni)."""

NO_PROCESSES: Processes = {}
"""No known processes: all rounds count as those of one process."""


@dataclass(frozen=True)
class Ranked:
    """A contender's place: 1 plus the number of contenders that are surely faster. Contenders may share a rank.

    `relative` is the interval of its time over that of the first contender; None for the first itself, or if there are
    too few rounds.
    """

    label: str
    rank: int
    seconds_per_step: float
    relative: Interval | None


def pairs(contenders: int) -> int:
    """Return the number of pairs of this many contenders, at least 1: the verdicts that are to hold together."""
    return max(1, contenders * (contenders - 1) // 2)


def relative_time(a: Rounds, b: Rounds, processes: Processes, confidence: float, tests: int = 1) -> Interval | None:
    """Return the interval of b's time over a's; None if there are too few common rounds.

    With several processes it spans the interval over the rounds and that over the processes, since the verdict must
    hold for these processes and for others; the latter has the error of one look of LOOKS. If all rounds are from one
    process of each contender, it allows for the differences between processes (between.py).
    """
    over_rounds = ratio_interval(ratios(a, b), confidence, tests)
    sessions = by_process(a, processes), by_process(b, processes)
    if over_rounds is not None and len(sessions[0].keys() | sessions[1].keys()) == 1:
        return widen_interval(over_rounds, PRIOR, confidence, tests)
    over_processes = interval_over_processes(*sessions, confidence, LOOKS * tests)
    if over_rounds is None or over_processes is None:
        return over_rounds
    low, high = min(over_rounds.low, over_processes.low), max(over_rounds.high, over_processes.high)
    return replace(over_rounds, low=low, high=high, assumed=over_processes.assumed)


def compare(
    contenders: Mapping[str, Rounds],
    confidence: float,
    margin: float,
    processes: Processes = NO_PROCESSES,
    tests: int = 1,
) -> list[Verdict]:
    """Return the verdict on every pair. All of them, after every round, hold together at `confidence`.

    With `tests` > 1 the verdicts of that many contests hold together.
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

    The intervals of times relative to the first are those of the verdicts: they hold together, over all pairs and
    rounds, at `confidence`.
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
    """Return the geometric mean of positive numbers, the mean that suits ratios."""
    return exp(sum(map(log, values)) / len(values))
