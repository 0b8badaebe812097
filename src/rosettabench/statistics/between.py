"""How much the ratio of two contenders differs from one pair of processes to the next: what one process cannot tell.

A contest of one process of each has measured one draw of it, and its interval must allow for the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, log

from rosettabench.statistics.interval import Interval


@dataclass(frozen=True)
class Between:
    """The standard deviation of log ratios between pairs of processes, and how many degrees of freedom it rests on."""

    deviation: float
    freedom: int


PRIOR = Between(0.13, 12)
"""What is supposed where nothing was measured. Eighteen runs of one process each (`rosetta run fashion-mlp -f
pytorch,jax --processes 1 --rounds 16` on an idle machine of two cores) gave ratios from 1.14 to 1.83: log(1.83 / 1.14)
= 0.473. The range of eighteen normal values is 3.64 standard deviations in the mean and varies by 0.74 of them (Tippett
1925), so the deviation is 0.473 / 3.64 = 0.13 between pairs of processes, 9% for each contender's own, as well known as
from (3.64 / 0.74)² / 2 = 12 degrees of freedom. The noise within processes is in it. It is one workload's and one
machine's: a supposition everywhere else."""


def widen_interval(interval: Interval, between: Between, confidence: float, tests: int = 1) -> Interval:
    """Return the interval of one pair of processes as one for contenders, one of so many that hold together.

    A pair's true log ratio lies around the contenders' by Student's t; its reach and that of the rounds add up as those
    of independent errors do.
    """
    from scipy.stats import t

    reach = float(t.ppf(1 - (1 - confidence) / tests / 2, between.freedom)) * between.deviation
    down, up = (hypot(log(end / interval.ratio), reach) for end in (interval.low, interval.high))
    return replace(interval, low=interval.ratio * exp(-down), high=interval.ratio * exp(up))
