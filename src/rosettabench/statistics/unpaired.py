"""Compare times that were not measured in the same rounds: one contender in two runs, perhaps on two days.

Within a run the state of the machine cancels in the ratios of a round. Between runs it does not, and every run has its
own processes. So a contender's time is not compared itself, but its ratio, in each run, to contenders that did not
change: a difference of two differences of logarithms (Card & Krueger 1994 made this design known). Two things make the
two ratios differ even if nothing changed:

- the noise of the rounds. Each run's ratio has an interval over rounds (interval.py). The intervals of two independent
  estimates give one for their difference: the squares of their half-widths add up (MOVER: Zou & Donner 2008, Statistics
  in Medicine 27, 1693; Newcombe 1998 for proportions);
- the processes. A process keeps what it got at its start (Kalibera & Jones 2013), so the unit is a process, not a
  round: Student's t for a contrast of two groups of processes, with the mean square of all groups of equal processes,
  as in any one-way layout. An A/A control is a group whose mean is even known: log 1.

The result must hold for both: its interval spans the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import exp, log, sqrt

import numpy as np

from rosettabench.statistics.interval import Interval, logarithms, ratio_interval, trimmed_mean
from rosettabench.statistics.quantile import t_quantile

Series = Sequence[float]
"""Ratios of one process, or of one run, round by round: positive, finite numbers."""


@dataclass(frozen=True)
class SpreadOfEquals:
    """How much the ratios of equal processes differ: the sum of squares of log ratios, and its degrees of freedom."""

    squares: float = 0.0
    freedom: int = 0

    def __add__(self, other: SpreadOfEquals) -> SpreadOfEquals:
        """Add squares and degrees of freedom."""
        return SpreadOfEquals(self.squares + other.squares, self.freedom + other.freedom)

    @property
    def deviation(self) -> float | None:
        """Standard deviation of the log ratio of one process, relative (0.03 is 3%); None if not known."""
        return sqrt(self.squares / self.freedom) if self.freedom else None


UNKNOWN = SpreadOfEquals()
"""Nothing known from other processes."""


def scatter_of_processes(groups: Iterable[Sequence[Series]]) -> SpreadOfEquals:
    """Return how much processes differ, from groups of them; the processes of a group measure one unknown ratio."""
    found = SpreadOfEquals()
    for group in groups:
        levels = [level(series) for series in group]
        if len(levels) > 1:
            squares = float(np.sum((np.array(levels) - np.mean(levels)) ** 2))
            found += SpreadOfEquals(squares, len(levels) - 1)
    return found


def equals(controls: Iterable[Series]) -> SpreadOfEquals:
    """Return how much processes differ, from A/A controls, whose true ratio is 1."""
    levels = [level(series) for series in controls]
    return SpreadOfEquals(sum(value**2 for value in levels), len(levels))


def level(series: Series) -> float:
    """Return the log ratio of one process: the trimmed mean over its rounds, at least one."""
    return trimmed_mean(logarithms(series))


def unpaired_interval(
    before: Sequence[Series],
    after: Sequence[Series],
    alike: SpreadOfEquals = UNKNOWN,
    confidence: float = 0.95,
    tests: int = 1,
) -> Interval | None:
    """Return the interval of the ratio of `after` to `before`; None if either has too few rounds.

    Each is a list of processes. `alike` is the known difference between other processes; the scatter within `before`
    and `after` is added to it. If both are unknown (see `freedom`), the interval is that over rounds, and holds only
    for these processes. With `tests` > 1, that many intervals hold together (Bonferroni). Raises ValueError for a ratio
    that is not a positive, finite number.
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
    """Return the ratios of all processes in one series, each process moved to the mean level of all.

    Otherwise the rounds of processes with different levels would contradict each other. Centring shrinks deviations: n
    rounds deviate from their own mean by √(1 - 1/n) of their deviation from the truth. This factor is undone.
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


def freedom(before: Sequence[Series], after: Sequence[Series], alike: SpreadOfEquals) -> int:
    """Return the degrees of freedom of the spread between processes; 0: the spread is not known."""
    return (alike + scatter_of_processes((before, after))).freedom


def quotient(above: Interval, below: Interval) -> Interval:
    """Return the interval of the ratio of two independently estimated ratios: squares of their half-widths add up."""
    middle = log(above.ratio) - log(below.ratio)
    down = sqrt(log(above.ratio / above.low) ** 2 + log(below.high / below.ratio) ** 2)
    up = sqrt(log(above.high / above.ratio) ** 2 + log(below.ratio / below.low) ** 2)
    rounds, steady = min(above.rounds, below.rounds), above.steady and below.steady
    return Interval(exp(middle), exp(middle - down), exp(middle + up), above.confidence, rounds, steady)


def contrast(
    before: Sequence[Series], after: Sequence[Series], known: SpreadOfEquals, confidence: float, tests: int
) -> tuple[float, float]:
    """Return the difference of the mean log ratios of two groups of processes, and the half-width of its interval."""
    middle = float(np.mean([level(one) for one in after]) - np.mean([level(one) for one in before]))
    error = sqrt(known.squares / known.freedom * (1 / len(before) + 1 / len(after)))
    return middle, t_quantile(confidence, tests, known.freedom) * error
