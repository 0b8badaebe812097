"""A range for the ratio of times from two contests that ran one after the other.

The speed of the machine does not cancel here: it may differ between the contests, and no number of rounds shows by how
much. The rounds only show how much the speed varied during each contest. The range spans the intervals of the two
levels, each at half the error (Bonferroni), and at least the central 80% of the rounds: the fastest of one over the
slowest of the other. It is wide on purpose, but is not a confidence interval: it does not cover a machine that changed
only between the contests.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rosettabench.statistics.interval import Interval, logarithms, ratio_interval

TAIL = 0.1
"""Share of the rounds on each side that counts as bursts and does not widen the range."""


def ratio_across(a: Sequence[float], b: Sequence[float], confidence: float = 0.95, tests: int = 1) -> Interval | None:
    """Return the range of a's time over b's, from the seconds per sample of their rounds; None if they are too few.

    Raises ValueError for a time that is not a positive, finite number.
    """
    levels = [ratio_interval(times, confidence, 2 * tests) for times in (a, b)]
    if levels[0] is None or levels[1] is None:
        return None
    ends = [level_extremes(times, level) for times, level in zip((a, b), levels, strict=True) if level is not None]
    (low_a, high_a), (low_b, high_b) = ends
    rounds = min(levels[0].rounds, levels[1].rounds)
    ratio = levels[0].ratio / levels[1].ratio
    steady = levels[0].steady and levels[1].steady
    return Interval(ratio, low_a / high_b, high_a / low_b, confidence, rounds, steady)


def level_extremes(times: Sequence[float], level: Interval) -> tuple[float, float]:
    """Return the lowest and highest plausible time: from the interval of its level and the range of its rounds."""
    low, high = np.exp(np.quantile(logarithms(times), (TAIL, 1 - TAIL)))
    return min(level.low, float(low)), max(level.high, float(high))
