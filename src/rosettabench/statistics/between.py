"""How much the ratio of two contenders differs from one pair of processes to the next: as measured, or as assumed.

A contest with one process of each contender measured one pair, so its interval must allow for other pairs. A contest
with a few processes measured how they differ, but not well: Student's t of few degrees of freedom has such tails that
the intervals of many pairs, which must hold together, would be wider than with one process and an assumption.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, log, sqrt
from typing import NamedTuple

from rosettabench.statistics.interval import Interval
from rosettabench.statistics.quantile import t_quantile


@dataclass(frozen=True)
class SpreadBetween:
    """The standard deviation of log ratios between pairs of processes, and its degrees of freedom."""

    deviation: float
    freedom: int

    def reach(self, processes: int, confidence: float, tests: float) -> float:
        """Return the half-width of Student's t interval for the mean of so many log ratios, one for each process."""
        return t_quantile(confidence, tests, self.freedom) * self.deviation / sqrt(processes)

    def pooled(self, other: SpreadBetween) -> SpreadBetween:
        """Return what two independent estimates of the same spread say together."""
        freedom = self.freedom + other.freedom
        squares = self.freedom * self.deviation**2 + other.freedom * other.deviation**2
        return SpreadBetween(sqrt(squares / freedom), freedom)


PRIOR = SpreadBetween(0.13, 12)
"""The assumption if nothing was measured. Eighteen runs of one process each (`rosetta run fashion-mlp -f pytorch,jax
--processes 1 --rounds 16` on an idle machine of two cores) gave ratios from 1.14 to 1.83: log(1.83 / 1.14) = 0.473. The
range of eighteen normal values has the mean 3.64 and the deviation 0.74, in standard deviations (Tippett 1925). So the
deviation between pairs of processes is 0.473 / 3.64 = 0.13, or 9% for the processes of one contender, with
(3.64 / 0.74)² / 2 = 12 degrees of freedom. It includes the noise within processes. It was measured with one workload on
one machine, and is an assumption everywhere else."""

SHARE = 0.1
"""The share of the permitted error that an interval over several processes gives to PRIOR."""


class Reach(NamedTuple):
    """The half-width of an interval over processes, of log ratios, and whether it is so narrow because of PRIOR."""

    length: float
    assumed: bool


def reach_over_processes(measured: SpreadBetween, processes: int, confidence: float, tests: int) -> Reach:
    """Return how far the interval over several processes reaches; `tests` such intervals hold together.

    There are two intervals: one by the `measured` spread alone, and one by the measured spread pooled with PRIOR. Both
    hold together, as they divide the permitted error, so their intersection is valid. Few processes of many contenders
    need the second: by four alone, intervals for 105 pairs reach ten times as far as the processes differ.
    """
    alone = measured.reach(processes, confidence, tests / (1 - SHARE))
    pooled = measured.pooled(PRIOR).reach(processes, confidence, tests / SHARE)
    return Reach(min(alone, pooled), pooled < alone)


def widen_interval(interval: Interval, between: SpreadBetween, confidence: float, tests: int = 1) -> Interval:
    """Widen the interval of one pair of processes to one for the contenders; `tests` such intervals hold together.

    A pair's true log ratio deviates from the contenders' by Student's t. The half-widths for processes and rounds add
    up in squares, like independent errors.
    """
    reach = between.reach(1, confidence, tests)
    down, up = (hypot(log(end / interval.ratio), reach) for end in (interval.low, interval.high))
    return replace(interval, low=interval.ratio * exp(-down), high=interval.ratio * exp(up), assumed=True)
