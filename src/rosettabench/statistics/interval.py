"""A confidence interval for a ratio of times, from rounds in which both were measured.

Two contenders that take turns share the state of the machine: within a round its speed cancels in the ratio, however
much it drifts between rounds. So the unit of the statistics is the logarithm of the ratio within a round.

The interval contains the ratios that the evidence (evidence.py) has not refuted at any round so far. It is valid for
all rounds together (a confidence sequence: Darling & Robbins 1967), so a contest may stop at any time. It never grows,
unless the rounds contradict each other.

The estimate is the 20%-trimmed mean of the log ratios, so that bursts in single blocks hardly change it. Wilcox,
"Introduction to Robust Estimation and Hypothesis Testing", section 4.1, recommends 20%.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, sqrt

import numpy as np

from rosettabench.statistics.bracket import EXACT, Bracket, close_in
from rosettabench.statistics.evidence import FEWEST_ROUNDS, Logs, final_evidence, log_evidence, threshold

TRIM = 0.2
"""Share of the values trimmed on each side."""

OFFSETS = 4.0 ** np.arange(-4, 9)
"""Distances from the estimate, in mean deviations, at which the search for the ends begins."""

SIDES = np.array([[-1.0], [1.0]])
"""Below the estimate, and above it."""

SAME = 1e-12
"""Log ratios with a smaller distance differ only by rounding."""

Ends = tuple[float, float]


@dataclass(frozen=True)
class Interval:
    """An estimated ratio and its confidence interval; all three are ratios (1.0 means equal).

    `steady` is false if the rounds contradict each other: no single ratio is compatible with all of them. The interval
    then spans the intervals of all rounds, of the first half and of the second half. It is `assumed` if it allows for
    differences between processes by an assumption (between.py).
    """

    ratio: float
    low: float
    high: float
    confidence: float
    rounds: int
    steady: bool = True
    assumed: bool = False

    @property
    def precision(self) -> float:
        """Relative half-width: 0.02 for the interval 1.284 to 1.336."""
        return sqrt(self.high / self.low) - 1

    def inverse(self) -> Interval:
        """The interval of the inverse ratio."""
        return replace(self, ratio=1 / self.ratio, low=1 / self.high, high=1 / self.low)


def ratio_interval(
    ratios: Sequence[float], confidence: float = 0.95, tests: int = 1, exact: float = EXACT
) -> Interval | None:
    """Return the interval for the ratio behind `ratios`, one positive number per round in the order of rounds.

    None if there are too few rounds to exclude anything (fewest_rounds). With `tests` > 1, that many intervals hold
    together at `confidence`: each takes an equal share of the permitted error (Bonferroni). With a larger `exact` than
    EXACT, the interval is a little wider. Raises ValueError for a ratio that is not a positive, finite number.
    """
    return search_interval(tuple(ratios), confidence, tests, exact)


@lru_cache(maxsize=4096)
def search_interval(ratios: tuple[float, ...], confidence: float, tests: int, exact: float) -> Interval | None:
    """Search for ratio_interval's answer. It is kept: a report and a history ask for the same ones."""
    logs = logarithms(ratios)
    if len(logs) < FEWEST_ROUNDS:
        return None
    limit = threshold(confidence, tests)
    middle = trimmed_mean(logs)
    ends = never_refuted(logs, middle, limit, exact)
    steady = ends is not None
    if ends is None:
        ends = span_of_parts(logs, limit, exact)
    low, high = ends
    if not np.isfinite(low) or not np.isfinite(high):
        return None
    middle = min(max(middle, low), high)
    return Interval(exp(middle), exp(low), exp(high), confidence, len(logs), steady)


def fewest_rounds(confidence: float = 0.95, tests: int = 1) -> int:
    """Return the fewest rounds for an interval, reached if the ratio is equal in all of them."""
    return agreement_rounds(threshold(confidence, tests))


def agreement_rounds(limit: float) -> int:
    """Return after how many rounds with equal deviations the evidence reaches `limit`."""
    rounds = FEWEST_ROUNDS
    while final_evidence(np.ones(rounds)) < limit:
        rounds += 1
    return rounds


def logarithms(ratios: Sequence[float]) -> Logs:
    """Return the logarithms of ratios; raise ValueError for one that is not a positive, finite number."""
    values = np.asarray(ratios, dtype=np.float64)
    if not np.all(np.isfinite(values) & (values > 0)):
        raise ValueError("a ratio of times must be a positive, finite number")
    logs: Logs = np.log(values)
    return logs


def trimmed_mean(values: Logs) -> float:
    """Return the mean without the smallest and the largest fifth, whose number is rounded: 1 each for four values."""
    trimmed = round(TRIM * len(values))
    return float(np.mean(np.sort(values)[trimmed : len(values) - trimmed]))


def never_refuted(logs: Logs, middle: float, limit: float, exact: float) -> Ends | None:
    """Return the ends of the set of log ratios whose evidence stayed below `limit` at every round; None if empty.

    An end is infinite if there are too few rounds to exclude anything on that side.
    """
    return ends(lambda candidates: log_evidence(logs - candidates[..., None]).max(axis=-1), limit, middle, logs, exact)


def not_refuted(logs: Logs, limit: float, exact: float) -> Ends:
    """Return the ends of the set of log ratios that all `logs` together do not refute, ignoring earlier rounds.

    Return the extremes of `logs` if the set is empty, or if there are too few.
    """
    found = None
    if len(logs) >= FEWEST_ROUNDS:
        middle = trimmed_mean(logs)
        found = ends(lambda candidates: final_evidence(logs - candidates[..., None]), limit, middle, logs, exact)
    if found is None or not np.all(np.isfinite(found)):
        return float(logs.min()), float(logs.max())
    return found


def span_of_parts(logs: Logs, limit: float, exact: float) -> Ends:
    """Return the span of the ends for all rounds, the first half and the second half."""
    half = len(logs) // 2
    parts = [not_refuted(part, limit, exact) for part in (logs, logs[:half], logs[half:])]
    return min(low for low, _ in parts), max(high for _, high in parts)


def ends(evidence: Callable[[Logs], Logs], limit: float, middle: float, logs: Logs, exact: float) -> Ends | None:
    """Return the outermost candidates, seen from `middle`, whose evidence is below `limit`; None if there are none.

    The search tries OFFSETS first. What it returns is refuted, so that its error, at most `exact` times the distance,
    widens the interval.
    """
    unit = float(np.mean(np.abs(logs - middle)))
    if unit < SAME:
        return (middle, middle) if len(logs) >= agreement_rounds(limit) else (-np.inf, np.inf)

    def excess(distances: Logs) -> Logs:
        """Return the evidence beyond `limit` of candidates at `distances`, (2, …), below the estimate and above it."""
        return evidence(middle + SIDES * distances) - limit

    offsets = np.concatenate(([0.0], OFFSETS)) * unit
    found = excess(offsets)
    accepted = found < 0
    if not np.any(accepted):
        return None
    if not accepted[0][0]:
        nearest = [
            (int(np.flatnonzero(one)[0]), sign) for one, sign in zip(accepted, (-1, 1), strict=True) if one.any()
        ]
        place, sign = min(nearest)
        return ends(evidence, limit, middle + sign * float(offsets[place]), logs, exact)
    if np.any(accepted[:, -1]):
        below, above = np.where(accepted[:, -1], np.inf, offsets[-1]).tolist()
    else:
        below, above = close_in(excess, [Bracket.last(offsets.tolist(), one) for one in found.tolist()], exact)
    return middle - below, middle + above
