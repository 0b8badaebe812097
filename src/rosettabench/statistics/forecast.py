"""How many rounds, or fresh processes, a question would take, from those so far: what a noisy machine needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log1p

from rosettabench.statistics.interval import Interval, fewest_rounds, ratio_interval
from rosettabench.statistics.spread import Sessions, reach_of_mean, session_logs, session_means
from rosettabench.statistics.verdict import decides

MOST_ROUNDS = 4096
"""What takes more is said to be out of reach."""

MOST_PROCESSES = 256
"""The same, of fresh processes: some minutes' worth of starting the quickest."""

FINENESS = 20
"""A forecast is sought to one part in so many: the noise that it is made from is known no better."""


def rounds_needed(ratios: Sequence[float], margin: float, confidence: float = 0.95, tests: int = 1) -> int | None:
    """Return about how many rounds in all would decide a pair, were the coming ones as noisy as `ratios`, those so far.

    Supposed is the estimated ratio, or 1 where 1 is still in the interval: equals are the case in which noise alone
    keeps a pair open. None where it is more than MOST_ROUNDS, as for a ratio at the very margin, and where `ratios` are
    too few to tell.
    """
    so_far = ratio_interval(ratios, confidence, tests)
    if so_far is None:
        return None
    supposed = 1 / so_far.ratio if so_far.low <= 1 <= so_far.high else 1.0
    return rounds_until(
        lambda interval: decides(interval, margin), [supposed * one for one in ratios], confidence, tests
    )


def rounds_until(
    reached: Callable[[Interval], bool], ratios: Sequence[float], confidence: float = 0.95, tests: int = 1
) -> int | None:
    """Return after about how many rounds `reached` would hold for the interval of rounds that repeat `ratios`.

    They are gone through again and again, so the forecast is as good as they are representative. None where it is more
    than MOST_ROUNDS, and where `ratios` are fewer than an interval takes.
    """
    fewest, seen = fewest_rounds(confidence, tests), len(ratios)
    if seen < fewest:
        return None

    def enough(rounds: int) -> bool:
        """Whether so many rounds would decide it."""
        interval = ratio_interval([ratios[place % seen] for place in range(rounds)], confidence, tests)
        return interval is not None and reached(interval)

    low, high = fewest - 1, fewest
    while not enough(high):
        low, high = high, 2 * high
        if low >= MOST_ROUNDS:
            return None
    while high - low > max(1, high // FINENESS):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fresh_processes(a: Sessions, b: Sessions, margin: float, confidence: float = 0.95, tests: int = 1) -> int | None:
    """Return how many processes in all would decide a pair, were fresh ones to differ as those so far.

    Supposed is the mean of their log ratios, or 0 where its interval holds 0. None where it is more than
    MOST_PROCESSES, and for fewer than two so far.
    """
    groups = session_logs(a, b)
    if len(groups) < 2:
        return None
    means = session_means(groups)
    deviation, middle, edge = float(means.std(ddof=1)), abs(float(means.mean())), log1p(margin)
    supposed = middle if middle > reach_of_mean(deviation, len(groups), confidence, tests) else 0.0
    for processes in range(len(groups) + 1, MOST_PROCESSES + 1):
        if abs(supposed - edge) > reach_of_mean(deviation, processes, confidence, tests):
            return processes
    return None
