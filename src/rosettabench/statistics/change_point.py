"""Find when a contender's step times become steady, and whether they do, by change points.

Not every program warms up: compilers may run late, and some programs get slower (Barrett, Bolz-Tereick, Killick, Mount
& Tratt 2017, "Virtual machine warmup blows hot and cold"). Following that paper, the series is cut into segments with
one level each. The cut minimises the cost of the segments plus a penalty for each, and the level of the last segment
is the steady one. Our series differ: they have ten to two hundred values from a shared machine. Therefore

- the cost is the sum of absolute deviations from the segment's median of the logarithms: the likelihood of Laplace's
  distribution, for which a burst is no change of level;
- the scale of the noise comes from the differences of neighbours, which a change of level hardly affects;
- the cut is found exactly, by dynamic programming over the values and the levels that the last segment may have. A
  segment's median is one of the values, so there are n levels, and n² additions (Viterbi 1967);
- a segment has at least LEAST values; only the first may be shorter, since a first step that compiles stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from math import log
from statistics import median

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

LEAST = 3
"""Fewest values of a segment: two may agree by chance."""

PENALTY = 4.0
"""The penalty of a further segment is this times the logarithm of the number of values, in scales of Laplace's
distribution. Then a few percent of the series without a change are cut (docs/explanation/statistics.md)."""

QUIET = 0.002
"""Smallest relative scale of the noise: clocks and rounding are no better."""

EQUIVALENT = 0.02
"""Levels with a smaller relative distance count as one: the margin of equivalence."""

SETTLED_SHARE = 0.25
"""Share of a steady series that must have the last level."""


class Steadiness(StrEnum):
    """How a series of step times ends."""

    WARM = "warm"
    SLOWING = "getting slower"
    UNSETTLED = "no steady state"


@dataclass(frozen=True)
class Segment:
    """Values `start` to `end` (exclusive) with one level, in seconds."""

    start: int
    end: int
    level: float


@dataclass(frozen=True)
class SteadyState:
    """The value from which a series is steady, how it ends, and its segments."""

    start: int
    steadiness: Steadiness
    segments: tuple[Segment, ...]

    @property
    def sentence(self) -> str:
        """The finding as a sentence, for the report."""
        last = self.segments[-1].level
        if self.steadiness is Steadiness.WARM:
            return f"Steady from value {self.start + 1} on."
        if self.steadiness is Steadiness.SLOWING:
            fastest = min(segment.level for segment in self.segments if segment.end - segment.start >= LEAST)
            return f"It gets slower: a step finally takes {last / fastest:.2f}× what it took at its fastest."
        return "No steady state: the level was still changing towards the end."


def steady_state(seconds: Sequence[float], margin: float = EQUIVALENT) -> SteadyState:
    """Return where the steady state of a series of positive step or block times begins, and whether there is one.

    The last level is the steady one. It begins with the first segment that is equivalent to the last within `margin`;
    deviations in between did not last. The series gets slower if an earlier level was faster by more than `margin`. It
    has no steady state if less than SETTLED_SHARE of it, or fewer than LEAST values, have the last level. Raises
    ValueError without values, or if one is not positive.
    """
    if not seconds or min(seconds) <= 0:
        raise ValueError("a steady state is sought in positive times, at least one")
    cut = segments(seconds)
    last = cut[-1].level
    alike = [segment for segment in cut if max(segment.level, last) <= (1 + margin) * min(segment.level, last)]
    start = alike[0].start
    calm = sum(segment.end - segment.start for segment in alike)
    if len(seconds) > 1 and calm < max(LEAST, SETTLED_SHARE * len(seconds)):
        return SteadyState(start, Steadiness.UNSETTLED, cut)
    lasting = [segment.level for segment in cut if segment.end - segment.start >= LEAST]
    slower = bool(lasting) and last > (1 + margin) * min(lasting)
    return SteadyState(start, Steadiness.SLOWING if slower else Steadiness.WARM, cut)


def segments(seconds: Sequence[float]) -> tuple[Segment, ...]:
    """Return the cheapest cut of a series into segments of one level each."""
    return cut_series(tuple(seconds))


@lru_cache(maxsize=1024)
def cut_series(seconds: tuple[float, ...]) -> tuple[Segment, ...]:
    """Search for the answer of `segments`. It is kept: a report and a history ask for the same ones."""
    logs = np.log(np.asarray(seconds))
    ends = [len(seconds)]
    starts = best_starts(logs, PENALTY * log(max(2, len(seconds))) * noise_scale(logs.tolist()))
    while ends[-1] > 0:
        ends.append(starts[ends[-1]])
    return tuple(Segment(start, end, median(seconds[start:end])) for start, end in pairwise(ends[::-1]))


def best_starts(logs: Values, penalty: float) -> list[int]:
    """Return for each number of values where the last segment of their cheapest cut begins.

    `costs` and `starts` are, for each level, the cost of the cheapest cut whose last segment has it, and where that
    segment begins. The next value continues the segment, or it is the last of the first LEAST values of a new one.
    """
    levels = np.unique(logs)
    off = np.abs(logs[:, None] - levels)
    sums = np.concatenate((np.zeros((1, len(levels))), np.cumsum(off, axis=0)))  # of deviations from each level
    costs, starts = np.zeros(len(levels)), np.zeros(len(levels), np.int64)
    cheapest, begun = [0.0], [0]
    for count in range(1, len(logs) + 1):
        costs += off[count - 1]
        start = count - LEAST
        if start > 0:
            new = sums[count] - sums[start]
            new += cheapest[start] + penalty
            np.copyto(starts, start, where=new < costs)
            np.minimum(costs, new, out=costs)
        place = costs.argmin()
        cheapest.append(float(costs[place]))
        begun.append(int(starts[place]))
    return begun


def noise_scale(logs: Sequence[float]) -> float:
    """Return the mean absolute deviation of the noise, from the median absolute difference of neighbours.

    For two values of Laplace's distribution with scale 1, the absolute difference has the median 1.146.
    """
    steps = [abs(after - before) for before, after in pairwise(logs)]
    return max(QUIET, median(steps) / 1.146) if steps else QUIET
