"""The spread of a ratio within a process and between processes.

A process keeps for life what it got at its start: its memory layout, its hash seeds, its choice of kernels. Its rounds
cannot average that away (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable time"). So the interval over the
rounds of one pair of processes describes these two processes. A statement about the contenders needs several processes,
called sessions here. It is estimated as in a meta-analysis, with each session as a study:

- between: variance of the sessions' true log ratios, by the method of moments (DerSimonian & Laird 1986), with the
  Q-profile interval of Viechtbauer (2007, Statistics in Medicine 26, 37);
- within: standard deviation of log ratios of rounds around their session's mean, with its χ² interval;
- the ratio: mean over sessions of their mean log ratios, with Student's t on their scatter, which includes both
  variances, with one degree of freedom less than sessions (Hartung & Knapp 2001, for studies of equal weight).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from rosettabench.statistics.between import SpreadBetween, reach_over_processes
from rosettabench.statistics.interval import Interval, logarithms, trimmed_mean
from rosettabench.statistics.quantile import chi2_quantile
from rosettabench.statistics.rounds import Rounds, ratios

Sessions = Mapping[int, Rounds]
"""Session (process) → round → seconds per step, of one contender."""

FEWEST_IN_SESSION = 2
"""A session with fewer common rounds does not show the spread within it, and is left out."""

LARGEST = 2.0
"""Largest standard deviation of log ratios in the search: processes that differ by a factor of seven."""


@dataclass(frozen=True)
class SpreadDeviation:
    """A standard deviation, relative (0.03 is 3%), and its interval; `low` and `high` are None if there is none."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Spread:
    """How much the ratio of two contenders varies from round to round `within` a process, and `between` processes.

    `between` is None with one session, which says nothing about other processes.
    """

    within: SpreadDeviation
    between: SpreadDeviation | None
    sessions: int
    rounds: int


def spread(a: Sessions, b: Sessions, confidence: float = 0.95) -> Spread | None:
    """Return the spread of b's time over a's; None without a session of FEWEST_IN_SESSION common rounds."""
    groups = session_logs(a, b)
    if not groups:
        return None
    rounds = sum(map(len, groups))
    freedom = rounds - len(groups)
    squares = sum(float(np.sum((group - group.mean()) ** 2)) for group in groups)
    within = within_deviation(squares, freedom, confidence)
    between = between_deviation(groups, squares / freedom, confidence) if len(groups) > 1 else None
    return Spread(within, between, len(groups), rounds)


def interval_over_processes(a: Sessions, b: Sessions, confidence: float = 0.95, tests: int = 1) -> Interval | None:
    """Return the interval of b's time over a's for all processes, not only the measured ones; None below two sessions.

    `tests` such intervals hold together. If sessions are few, the interval is `assumed` (between.py). Their number must
    be fixed beforehand: unlike the interval over rounds, this one does not allow a contest to stop at any time.
    """
    groups = session_logs(a, b)
    if len(groups) < 2:
        return None
    logs = session_means(groups)
    reach = reach_over_processes(spread_of(logs), len(logs), confidence, tests)
    return replace(interval_around(logs, reach.length, confidence, sum(map(len, groups))), assumed=reach.assumed)


def interval_of_starts(ratios: Sequence[float], confidence: float = 0.95) -> Interval | None:
    """Return the interval of a ratio measured once per pair of processes, such as that of starts; None below two."""
    if len(ratios) < 2:
        return None
    logs = logarithms(ratios)
    return interval_around(logs, spread_of(logs).reach(len(logs), confidence, 1), confidence, len(logs))


def spread_of(logs: NDArray[np.float64]) -> SpreadBetween:
    """Return the spread of log ratios, one per process, at least two."""
    return SpreadBetween(float(logs.std(ddof=1)), len(logs) - 1)


def interval_around(logs: NDArray[np.float64], reach: float, confidence: float, rounds: int) -> Interval:
    """Return the interval that goes by `reach` to each side of the mean of log ratios."""
    middle = float(logs.mean())
    return Interval(exp(middle), exp(middle - reach), exp(middle + reach), confidence, rounds)


def session_means(groups: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the log ratio of each session: the trimmed mean of its rounds."""
    return np.array([trimmed_mean(group) for group in groups])


def session_logs(a: Sessions, b: Sessions) -> list[NDArray[np.float64]]:
    """Return the log ratios of the common rounds of each session that has enough of them."""
    groups = [logarithms(ratios(a[session], b[session])) for session in sorted(a.keys() & b.keys())]
    return [group for group in groups if len(group) >= FEWEST_IN_SESSION]


def within_deviation(squares: float, freedom: int, confidence: float) -> SpreadDeviation:
    """Return the pooled standard deviation from a sum of squares around the sessions' means."""
    tail = (1 - confidence) / 2
    low, high = (sqrt(squares / chi2_quantile(share, freedom)) for share in (1 - tail, tail))
    return SpreadDeviation(sqrt(squares / freedom), low, high)


def between_deviation(groups: list[NDArray[np.float64]], within: float, confidence: float) -> SpreadDeviation:
    """Return the standard deviation of the sessions' true means; `within` is the variance of a round."""
    means = np.array([group.mean() for group in groups])
    errors = np.array([within / len(group) for group in groups])
    freedom = len(groups) - 1
    if within == 0:
        return SpreadDeviation(float(means.std(ddof=1)), None, None)
    weights = 1 / errors
    excess = scatter(means, errors, 0.0) - freedom
    moments = max(0.0, excess / float(weights.sum() - np.sum(weights**2) / weights.sum()))
    tail = (1 - confidence) / 2
    low, high = (profile(means, errors, chi2_quantile(share, freedom)) for share in (1 - tail, tail))
    return SpreadDeviation(sqrt(moments), low, high)


def scatter(means: NDArray[np.float64], errors: NDArray[np.float64], between: float) -> float:
    """Return Q: squared distances from the weighted mean, in units of the variances `errors` + `between`."""
    weights = 1 / (errors + between)
    centre = float(np.sum(weights * means) / weights.sum())
    return float(np.sum(weights * (means - centre) ** 2))


def profile(means: NDArray[np.float64], errors: NDArray[np.float64], quantile: float) -> float | None:
    """Return the standard deviation between sessions at which Q falls to `quantile`; 0 if Q is never above it.

    None if Q is still above it at LARGEST.
    """
    if scatter(means, errors, 0.0) <= quantile:
        return 0.0
    if scatter(means, errors, LARGEST**2) > quantile:
        return None
    return sqrt(root(lambda variance: scatter(means, errors, variance) - quantile, 0.0, LARGEST**2))


def root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function crosses 0 between `low` and `high`."""
    from scipy.optimize import brentq

    return float(brentq(falling, low, high, xtol=1e-14))
