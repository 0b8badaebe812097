"""When a contender's step times have come to rest, and whether they do: change points, not a fixed number of steps.

Warming up is not what every program does: compilers may come late, and some get slower (Barrett, Bolz-Tereick, Killick,
Mount & Tratt 2017, "Virtual machine warmup blows hot and cold"). As they do, the series is cut into segments of one
level each by the cheapest cut, cost of the segments plus a penalty for each, and the last segment's level is what is
called steady. Unlike theirs, our series have ten to two hundred values of a shared machine, so

- the cost is the sum of absolute deviations from the segment's median of the logarithms: the likelihood of Laplace's
  distribution, for which a burst is no change of level;
- the scale of the noise is taken from the differences of neighbours, which steps of the level leave alone;
- the cut is found exactly, by dynamic programming (Jackson et al. 2005): n² medians are cheap at this length;
- a segment has at least LEAST values, but the first may be shorter: a first step that compiles stands alone.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import inf, log
from statistics import median

LEAST = 3
"""Values of a segment: two that agree by chance do not make a level."""

PENALTY = 4.0
"""Cost of a further segment, times the logarithm of the number of values, in scales of Laplace's distribution.

Series without a change are then cut in a few of a hundred cases (docs/explanation/statistics.md)."""

QUIET = 0.002
"""Relative noise below which no scale is believed: clocks and rounding."""

EQUIVALENT = 0.02
"""Levels that lie closer together, relative, are one: the margin of practical equivalence."""

SETTLED_SHARE = 0.25
"""Share of the series that must have the last level for it to be called steady."""


class Steadiness(StrEnum):
    """What became of a series of step times."""

    WARM = "warm"
    SLOWING = "getting slower"
    UNSETTLED = "no steady state"


@dataclass(frozen=True)
class Segment:
    """Values `start` to `end` (not included) of one level, in seconds."""

    start: int
    end: int
    level: float


@dataclass(frozen=True)
class SteadyState:
    """From which value on a series is steady, what became of it, and the segments that this follows from."""

    start: int
    steadiness: Steadiness
    segments: tuple[Segment, ...]

    @property
    def sentence(self) -> str:
        """What was found, for the report."""
        last = self.segments[-1].level
        if self.steadiness is Steadiness.WARM:
            return f"Steady from value {self.start + 1} on."
        if self.steadiness is Steadiness.SLOWING:
            fastest = min(segment.level for segment in self.segments if segment.end - segment.start >= LEAST)
            return f"It gets slower: a step finally takes {last / fastest:.2f}× what it took at its fastest."
        return "No steady state: the level was still changing towards the end."


def warm_from(seconds: Sequence[float]) -> int:
    """Return the index of the first value of the steady state; see steady_state, which also says whether it is one."""
    return steady_state(seconds).start


def steady_state(seconds: Sequence[float], margin: float = EQUIVALENT) -> SteadyState:
    """Return where the steady state of a series of positive step or block times begins, and whether there is one.

    Steady is the last level: from the first segment on that is equivalent to the last one within `margin`, since what
    came between did not last. It is getting slower where an earlier level was faster by more than `margin`; and has
    no steady state where less than SETTLED_SHARE of the series, or fewer than LEAST values, have that level.
    Raises ValueError without values, or with one that is not positive.
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
    logs = [log(value) for value in seconds]
    count, penalty = len(logs), PENALTY * log(max(2, len(logs))) * noise_scale(logs)
    best, origin = [0.0] + [inf] * count, [0] * (count + 1)
    for start in range(count):
        if best[start] == inf:
            continue
        for end, cost in enumerate(deviations(logs[start:]), start=start + 1):
            if start > 0 and end - start < LEAST:
                continue
            total = best[start] + cost + (penalty if start > 0 else 0.0)
            if total < best[end]:
                best[end], origin[end] = total, start
    ends = [count]
    while ends[-1] > 0:
        ends.append(origin[ends[-1]])
    borders = ends[::-1]
    return tuple(Segment(start, end, median(seconds[start:end])) for start, end in pairwise(borders))


def noise_scale(logs: Sequence[float]) -> float:
    """Return the mean absolute deviation of the noise, from the median absolute difference of neighbours.

    For Laplace's distribution of scale 1 the absolute difference of two has the median 1.146.
    """
    steps = [abs(after - before) for before, after in pairwise(logs)]
    return max(QUIET, median(steps) / 1.146) if steps else QUIET


def deviations(values: Sequence[float]) -> list[float]:
    """Return, for every beginning of `values`, the sum of absolute deviations from its median."""
    ordered: list[float] = []
    sums, smaller, total = [], 0.0, 0.0  # `smaller`: the sum of the smaller half
    for count, value in enumerate(values):
        half, place = count // 2, bisect(ordered, value)
        ordered.insert(place, value)
        total += value
        if place < half:
            smaller += value - ordered[half]
        if count % 2:
            smaller += ordered[half]
            sums.append(total - 2 * smaller)
        else:
            sums.append(total - 2 * smaller - ordered[half])
    return sums
