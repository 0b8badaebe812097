"""The laboratory's default protocol for thousands of contests at once: fresh processes share the rounds, two looks.

The intervals are those of src/rosettabench/statistics, found for all contests together; tests hold them, and what is
said of them, against `compare`. The schedule is that of plan/schedule.py. With the few rounds of a process nothing odd
can be seen within it (statistics/oddities.py), so all that keeps a report from a verdict are contradictory rounds.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rosettabench.catalogue.suite import Stopping
from rosettabench.plan.schedule import Schedule
from rosettabench.statistics.between import SpreadBetween, reach_over_processes
from rosettabench.statistics.evidence import log_evidence, threshold
from rosettabench.statistics.interval import OFFSETS, TRIM, ratio_interval
from rosettabench.statistics.ranking import LOOKS

CONFIDENCE, MARGIN = 0.95, 0.02
STOPPING = Stopping()
EDGE = np.log1p(MARGIN)
HALVINGS = 22
"""Steps of the search for an end, which leave less than a millionth of its distance, as in interval.py."""


@dataclass
class Span:
    """Intervals of log ratios, (contests,) each; not `steady` where the rounds of a contest contradict each other."""

    low: np.ndarray
    high: np.ndarray
    steady: np.ndarray

    def moved(self, true):
        """Return the same for rounds that all lie `true` higher."""
        return Span(self.low + true, self.high + true, self.steady)

    @property
    def within(self):
        """Where the whole interval lies within the margin."""
        return (self.low >= -EDGE) & (self.high <= EDGE)

    @property
    def enough(self):
        """Where a contest ends: its pair is decided, or as precise as asked."""
        decided = self.steady & ((self.low > EDGE) | (self.high < -EDGE) | self.within)
        return decided | (np.expm1((self.high - self.low) / 2) <= STOPPING.precision)

    def says(self, sign):
        """Where the report says that the second contender is slower (`sign` 1) or faster (-1)."""
        return self.steady & ~self.within & (self.low > 0 if sign > 0 else self.high < 0)

    def covers(self, true):
        """Where the interval holds the truth."""
        return (self.low <= true) & (true <= self.high)


@dataclass
class Outcome:
    """How contests ended: after how many rounds, with a difference told, the right one, the truth in the interval.

    `by_first_look`: the right difference is told at the first look, whether or not the contest ended with it.
    """

    rounds: np.ndarray
    told: np.ndarray
    right: np.ndarray
    covered: np.ndarray
    by_first_look: np.ndarray


def looks(noise, pairs=1):
    """Return the Span of contests with log ratios `noise`, (contests, rounds), at both looks.

    Each is one of so many `pairs` that are to hold together.
    """
    schedule = Schedule(STOPPING)
    ends = [0, *(schedule.upto(process) for process in range(1, schedule.processes + 1))]
    last = [process for process in range(1, schedule.processes + 1) if schedule.looks_after(process)]
    return [look(noise[:, : ends[process]], ends[: process + 1], pairs) for process in last]


def look(noise, ends, pairs):
    """Return the Span over rounds and processes; `ends` are the rounds at which processes began and the last ended."""
    over_rounds = intervals(noise, pairs)
    means = np.stack([trimmed_means(noise[:, a:b]) for a, b in pairwise(ends)], axis=1)
    count = means.shape[1]
    measured = [SpreadBetween(float(deviation), count - 1) for deviation in means.std(axis=1, ddof=1)]
    reach = np.array([reach_over_processes(one, count, CONFIDENCE, LOOKS * pairs).length for one in measured])
    middle = means.mean(axis=1)
    low, high = np.minimum(over_rounds.low, middle - reach), np.maximum(over_rounds.high, middle + reach)
    return Span(low, high, over_rounds.steady)


def ended(spans, true, sign=1):
    """Return the Outcome of contests with these Spans, were the true log ratio `true`; right is a claim of `sign`."""
    first, last = (span.moved(true) for span in spans)
    stop = first.enough
    says = {which: np.where(stop, first.says(which), last.says(which)) for which in (-1, 1)}
    return Outcome(
        rounds=np.where(stop, *STOPPING.rounds),
        told=says[-1] | says[1],
        right=says[sign],
        covered=np.where(stop, first.covers(true), last.covers(true)),
        by_first_look=first.says(sign),
    )


def intervals(logs, pairs):
    """Return the Span that `ratio_interval` finds for each row of (contests, rounds), by the same search at once."""
    limit, middle = threshold(CONFIDENCE, pairs), trimmed_means(logs)
    unit = np.abs(logs - middle[:, None]).mean(axis=1)

    def accepted(distances):
        return log_evidence(logs - (middle + distances)[:, None]).max(axis=-1) < limit

    steps = np.concatenate(([0.0], OFFSETS))
    found = []
    for side in (-1, 1):
        below = np.stack([accepted(side * step * unit) for step in steps], axis=1)
        place = len(steps) - 1 - below[:, ::-1].argmax(axis=1)
        inner, outer = steps[place] * unit, np.append(steps, np.inf)[place + 1] * unit
        for _ in range(HALVINGS):
            between = np.where(np.isfinite(outer), (inner + outer) / 2, inner)
            good = accepted(side * between)
            inner, outer = np.where(good, between, inner), np.where(good, outer, np.minimum(outer, between))
        found.append((below[:, 0], np.where(place == len(steps) - 1, np.inf, outer)))
    (usual, down), (_, up) = found
    down, up = (np.where(np.isfinite(down + up), reach, np.inf) for reach in (down, up))
    span = Span(middle - down, middle + up, np.ones(len(logs), bool))
    for row in np.flatnonzero(~usual):  # seldom: the search begins elsewhere, or nothing is left
        one = ratio_interval(list(map(float, np.exp(logs[row]))), CONFIDENCE, pairs)
        span.low[row], span.high[row] = (-np.inf, np.inf) if one is None else np.log([one.low, one.high])
        span.steady[row] = one is None or one.steady
    return span


def trimmed_means(logs):
    """Return the 20%-trimmed mean of every row."""
    trimmed = round(TRIM * logs.shape[1])
    return np.sort(logs, axis=1)[:, trimmed : logs.shape[1] - trimmed].mean(axis=1)
