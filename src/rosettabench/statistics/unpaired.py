"""Times that were not measured in the same rounds: one contender in two runs, perhaps on two days.

Within a run the weather cancels in ratios of a round; between runs it does not, and every run has processes of its own.
So what is compared is not a contender's time but its ratio, in each run, to contenders that are the same in both: the
difference of two differences of logarithms (Card & Krueger 1994 made that design known). Two things then keep the two
ratios apart though nothing changed:

- the noise of the rounds. Each run's ratio has its interval over rounds (interval.py); those of two independent
  estimates make one of their difference by the squares of their arms (MOVER: Zou & Donner 2008, Statistics in Medicine
  27, 1693; Newcombe 1998 for proportions);
- the processes. What a process got at its start stays with it (Kalibera & Jones 2013), so a process, not a round, is
  the unit: Student's t for a contrast of two groups of processes, with the mean square of all groups of processes that
  are alike, as in any one-way layout. An A/A control is such a group, of which even the mean is known: log 1.

What is said must hold for both: the interval spans the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import exp, log, sqrt

import numpy as np

from rosettabench.statistics.interval import Interval, logarithms, ratio_interval, trimmed_mean

Series = Sequence[float]
"""Ratios of one process, or of one run, round by round: positive, finite numbers."""


@dataclass(frozen=True)
class Alike:
    """How much ratios of processes that are alike differ: the sum of squares of log ratios, and degrees of freedom."""

    squares: float = 0.0
    freedom: int = 0

    def __add__(self, other: Alike) -> Alike:
        """Both together."""
        return Alike(self.squares + other.squares, self.freedom + other.freedom)

    @property
    def deviation(self) -> float | None:
        """Standard deviation of the log ratio of one process, relative (0.03 is 3%); None where nothing is known."""
        return sqrt(self.squares / self.freedom) if self.freedom else None


UNKNOWN = Alike()
"""Where no other process says anything."""


def scatter_of_processes(groups: Iterable[Sequence[Series]]) -> Alike:
    """Return how much processes differ, from groups of them: those of a group measure one ratio, whatever it is."""
    found = Alike()
    for group in groups:
        levels = [level(series) for series in group]
        if len(levels) > 1:
            squares = float(np.sum((np.array(levels) - np.mean(levels)) ** 2))
            found += Alike(squares, len(levels) - 1)
    return found


def equals(controls: Iterable[Series]) -> Alike:
    """Return how much processes differ, from A/A controls: each a ratio of two equals, known to be 1."""
    levels = [level(series) for series in controls]
    return Alike(sum(value**2 for value in levels), len(levels))


def level(series: Series) -> float:
    """Return the log ratio of one process: the trimmed mean over its rounds, at least one."""
    return trimmed_mean(logarithms(series))


def unpaired_interval(
    before: Sequence[Series],
    after: Sequence[Series],
    alike: Alike = UNKNOWN,
    confidence: float = 0.95,
    tests: int = 1,
) -> Interval | None:
    """Return the interval of the ratio of `after` to `before`; None where either has too few rounds for one.

    Each is a list of processes. `alike` is what other processes say of how much processes differ; the scatter within
    `before` and `after` is added to it. Where neither says anything, the interval is that over rounds alone and speaks
    of these processes only: see `freedom`. With `tests` > 1 it is one of so many that hold together (Bonferroni).
    Raises ValueError for a ratio that is not a positive, finite number.
    """
    first, second = (ratio_interval(level_processes(side), confidence, tests) for side in (before, after))
    if first is None or second is None:
        return None
    over_rounds = quotient(second, first)
    known = alike + scatter_of_processes((before, after))
    if not known.freedom:
        return over_rounds
    middle, reach = contrast(before, after, known, confidence, tests)
    return Interval(
        over_rounds.ratio,
        min(over_rounds.low, exp(middle - reach)),
        max(over_rounds.high, exp(middle + reach)),
        confidence,
        over_rounds.rounds,
        over_rounds.steady,
    )


def level_processes(processes: Sequence[Series]) -> list[float]:
    """Return the ratios of all processes in one series, each moved to the mean level of all.

    Otherwise precise rounds of processes that differ would contradict each other. What a process' rounds lose by being
    centred at their own mean is given back: n rounds deviate from it by √(1 - 1/n) of what they do from the truth.
    """
    if len(processes) < 2:
        return list(chain(*processes))
    levels = [level(series) for series in processes]
    middle = sum(levels) / len(levels)
    return [
        exp(middle + (log(ratio) - own) * sqrt(len(series) / max(1, len(series) - 1)))
        for series, own in zip(processes, levels, strict=True)
        for ratio in series
    ]


def freedom(before: Sequence[Series], after: Sequence[Series], alike: Alike) -> int:
    """Return how many degrees of freedom the processes leave for their spread; 0: nothing is known of it."""
    return (alike + scatter_of_processes((before, after))).freedom


def quotient(above: Interval, below: Interval) -> Interval:
    """Return the interval of the ratio of two ratios, estimated independently, by the squares of their arms."""
    middle = log(above.ratio) - log(below.ratio)
    down = sqrt(log(above.ratio / above.low) ** 2 + log(below.high / below.ratio) ** 2)
    up = sqrt(log(above.high / above.ratio) ** 2 + log(below.ratio / below.low) ** 2)
    rounds, steady = min(above.rounds, below.rounds), above.steady and below.steady
    return Interval(exp(middle), exp(middle - down), exp(middle + up), above.confidence, rounds, steady)


def contrast(
    before: Sequence[Series], after: Sequence[Series], known: Alike, confidence: float, tests: int
) -> tuple[float, float]:
    """Return the difference of the mean log ratios of two groups of processes, and how far its interval reaches."""
    from scipy.stats import t

    middle = float(np.mean([level(one) for one in after]) - np.mean([level(one) for one in before]))
    error = sqrt(known.squares / known.freedom * (1 / len(before) + 1 / len(after)))
    return middle, float(t.ppf(1 - (1 - confidence) / tests / 2, known.freedom)) * error
