"""A ratio of times that were not measured in turns: what may be said of two contests that followed each other.

Nothing cancels here. The machine may have been at another level in the second contest, and no number of rounds in
either tells by how much. What the rounds do tell is how far the machine wandered while each lasted: the range is that
of the levels' own intervals, each at half the error (Bonferroni), and at least that of the central 80% of the rounds,
the fastest of the one against the slowest of the other. It is wide on purpose, and no confidence interval: a machine
that changed between the contests and in neither of them is not in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rosettabench.statistics.interval import Interval, logarithms, ratio_interval

TAIL = 0.1
"""Share of the rounds on each side that counts as bursts: they do not widen the range."""


def ratio_across(a: Sequence[float], b: Sequence[float], confidence: float = 0.95, tests: int = 1) -> Interval | None:
    """Return the range of a's time over b's, from seconds per sample of each one's rounds; None where they are too few.

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
    """Return the lowest and the highest that a time is taken to be: its level's interval and its rounds' range."""
    low, high = np.exp(np.quantile(logarithms(times), (TAIL, 1 - TAIL)))
    return min(level.low, float(low)), max(level.high, float(high))
