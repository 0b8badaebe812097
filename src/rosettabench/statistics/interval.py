"""A confidence interval for a ratio of times, from rounds in which both were measured.

Two contenders that take turns meet the same weather: within a round the machine's speed is common to both and cancels
in the ratio, however much it drifts between rounds. So the unit of the statistics is the logarithm of the ratio within
a round, and its mean is estimated over rounds.

A shared machine sends bursts that hit one block and spare its neighbour. A mean gives each of them full weight; the
20%-trimmed mean gives none to the farthest fifth on either side, at a small loss where there are none. Its interval is
that of Tukey and McLaughlin (1963, Sankhyā A 25, 331): Student's t on the winsorised variance with h - 1 degrees of
freedom, h being the number of values left. Wilcox, "Introduction to Robust Estimation and Hypothesis Testing", ch. 4,
has the formula and its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

TRIM = 0.2
"""Share of the values that is trimmed on each side: the customary compromise (Wilcox, section 4.1)."""

FEWEST_ROUNDS = 5
"""Below five rounds a trimmed sample has at most two degrees of freedom: an interval would say nothing."""


@dataclass(frozen=True)
class Interval:
    """An estimated ratio and its confidence interval; all three are ratios (1.0 means equal)."""

    ratio: float
    low: float
    high: float
    confidence: float
    rounds: int

    @property
    def precision(self) -> float:
        """Relative half-width: 0.02 for 1.31 with 1.284 to 1.336."""
        return sqrt(self.high / self.low) - 1

    def inverse(self) -> Interval:
        """The interval of the inverse ratio."""
        return Interval(1 / self.ratio, 1 / self.high, 1 / self.low, self.confidence, self.rounds)


def ratio_interval(ratios: Sequence[float], confidence: float = 0.95, tests: int = 1) -> Interval | None:
    """Return the interval for the ratio behind `ratios`, one positive number per round; None below FEWEST_ROUNDS.

    With `tests` > 1 it is one of so many (pairs, looks) that are to hold together at `confidence`: each takes an equal
    share of the permitted error (Bonferroni).
    """
    from scipy.stats import t

    n = len(ratios)
    if n < FEWEST_ROUNDS:
        return None
    logs = sorted(log(ratio) for ratio in ratios)
    trimmed = int(TRIM * n)
    kept = n - 2 * trimmed
    middle = sum(logs[trimmed : n - trimmed]) / kept
    winsorised = [logs[min(max(i, trimmed), n - trimmed - 1)] for i in range(n)]
    mean = sum(winsorised) / n
    variance = sum((value - mean) ** 2 for value in winsorised) / (n - 1)
    error = sqrt(variance / n) / (1 - 2 * TRIM)
    reach = float(t.ppf(1 - (1 - confidence) / tests / 2, kept - 1)) * error
    return Interval(exp(middle), exp(middle - reach), exp(middle + reach), confidence, n)
