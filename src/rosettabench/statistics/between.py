"""How much the ratio of two contenders differs from one pair of processes to the next.

A contest with one process of each contender measured one pair, so its interval must allow for other pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, log

from rosettabench.statistics.interval import Interval
from rosettabench.statistics.quantile import t_quantile


@dataclass(frozen=True)
class SpreadBetween:
    """The standard deviation of log ratios between pairs of processes, and its degrees of freedom."""

    deviation: float
    freedom: int


PRIOR = SpreadBetween(0.13, 12)
"""The assumption if nothing was measured. Eighteen runs of one process each (`rosetta run fashion-mlp -f pytorch,jax
--processes 1 --rounds 16` on an idle machine of two cores) gave ratios from 1.14 to 1.83: log(1.83 / 1.14) = 0.473. The
range of eighteen normal values has the mean 3.64 and the deviation 0.74, in standard deviations (Tippett 1925). So the
deviation between pairs of processes is 0.473 / 3.64 = 0.13, or 9% for the processes of one contender, with
(3.64 / 0.74)² / 2 = 12 degrees of freedom. It includes the noise within processes. It was measured with one workload on
one machine, and is an assumption everywhere else."""


def widen_interval(interval: Interval, between: SpreadBetween, confidence: float, tests: int = 1) -> Interval:
    """Widen the interval of one pair of processes to one for the contenders; `tests` such intervals hold together.

    A pair's true log ratio deviates from the contenders' by Student's t. The half-widths for processes and rounds add
    up in squares, like independent errors.
    """
    reach = t_quantile(confidence, tests, between.freedom) * between.deviation
    down, up = (hypot(log(end / interval.ratio), reach) for end in (interval.low, interval.high))
    return replace(interval, low=interval.ratio * exp(-down), high=interval.ratio * exp(up))
