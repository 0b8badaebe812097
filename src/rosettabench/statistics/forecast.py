"""Estimate how many rounds or processes would decide a pair, from those so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log1p

import numpy as np

from rosettabench.statistics.between import reach_over_processes
from rosettabench.statistics.evidence import log_evidence, threshold
from rosettabench.statistics.interval import Interval, fewest_rounds, ratio_interval
from rosettabench.statistics.spread import Sessions, session_logs, session_means, spread_of

MOST_ROUNDS = 4096
"""No estimate beyond this number is given."""

FIRST_LOOK = 256
"""Rounds that are looked at first. Most pairs need no more, and all MOST_ROUNDS take eight times as long."""

MOST_PROCESSES = 256
"""No estimate beyond this number is given; starting that many takes some minutes even for the quickest."""

FINENESS = 20
"""An estimate is exact to one part in this many: the noise is not known any better."""

ROUGHLY = 0.01
"""The ends of a foretold interval are exact to this share of their distance from the estimate."""


def rounds_needed(ratios: Sequence[float], margin: float, confidence: float = 0.95, tests: int = 1) -> int | None:
    """Return about how many rounds in all would decide a pair, if future rounds repeat `ratios`, those so far.

    The true ratio is assumed to be the estimate, or 1 if the interval contains 1: then the contenders may be equal, and
    only noise keeps the pair open. A pair is decided once both ends of the margin are refuted. The evidence against
    them is computed after every round at once, so no interval is searched.

    None if more than MOST_ROUNDS are needed, as for a ratio at the margin; or if there are too few `ratios`, or they
    contradict each other.
    """
    so_far = ratio_interval(ratios, confidence, tests)
    if so_far is None or not so_far.steady:
        return None
    supposed = 1 / so_far.ratio if so_far.low <= 1 <= so_far.high else 1.0
    edges = log1p(margin) * np.array([[-1.0], [1.0]])
    logs = np.resize(np.log(supposed * np.asarray(ratios)), MOST_ROUNDS)
    for rounds in (FIRST_LOOK, MOST_ROUNDS):
        evidence = np.maximum.accumulate(log_evidence(logs[:rounds] - edges), axis=-1)
        refuted = np.all(evidence >= threshold(confidence, tests), axis=0)
        if refuted.any():
            return int(np.argmax(refuted)) + 1
    return None


def rounds_until(
    reached: Callable[[Interval], bool], ratios: Sequence[float], confidence: float = 0.95, tests: int = 1
) -> int | None:
    """Return after about how many rounds `reached` would hold, if future rounds repeat `ratios` cyclically.

    The estimate is only as good as the ratios are representative. None if more than MOST_ROUNDS are needed, or if there
    are too few `ratios` for an interval.
    """
    fewest, seen = fewest_rounds(confidence, tests), len(ratios)
    if seen < fewest:
        return None

    def enough(rounds: int) -> bool:
        """Return whether this many rounds would be enough."""
        interval = ratio_interval([ratios[place % seen] for place in range(rounds)], confidence, tests, ROUGHLY)
        return interval is not None and reached(interval)

    low, high = fewest - 1, fewest
    while not enough(high):
        if high == MOST_ROUNDS:
            return None
        low, high = high, min(2 * high, MOST_ROUNDS)
    while high - low > max(1, high // FINENESS):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fresh_processes(a: Sessions, b: Sessions, margin: float, confidence: float = 0.95, tests: int = 1) -> int | None:
    """Return how many processes in all would decide a pair, if new ones differ as much as those so far.

    The true log ratio is assumed to be the mean so far, or 0 if its interval contains 0. None if more than
    MOST_PROCESSES are needed, or if there are fewer than two so far.
    """
    groups = session_logs(a, b)
    if len(groups) < 2:
        return None
    means = session_means(groups)
    measured, middle, edge = spread_of(means), abs(float(means.mean())), log1p(margin)

    def reach(processes: int) -> float:
        """Return the half-width of the interval over so many processes that differ as much as those so far."""
        spread = replace(measured, freedom=processes - 1)
        return reach_over_processes(spread, processes, confidence, tests).length

    supposed = middle if middle > reach(len(groups)) else 0.0
    more = range(len(groups) + 1, MOST_PROCESSES + 1)
    return next((processes for processes in more if abs(supposed - edge) > reach(processes)), None)
