"""A cell over time: all its runs on one machine, and the changes of its level."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, log1p
from statistics import median
from typing import Any

from rosettabench.history.cell import Key, StoredContest, TrialCell
from rosettabench.history.identity import Change, Identity, changes, machine_changes
from rosettabench.statistics.change_point import LEAST, Segment, segments
from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.ranking import geometric_mean
from rosettabench.statistics.rounds import possible
from rosettabench.summary.entry import estimate
from rosettabench.summary.estimate import Estimate


@dataclass(frozen=True)
class Point:
    """One run of a cell: `level` is the median of its rounds in seconds per step, `step` its estimate with interval.

    `flaw` is why it is shown and not used; None where all is well.
    """

    run: str
    at: str
    label: str
    level: float
    step: Estimate
    flaw: Doubt | None
    identity: Identity
    machine: Mapping[str, Any]


@dataclass(frozen=True)
class LevelChange:
    """A change of level from run `last` to run `first`: the later level is `times` the earlier one.

    `changes` are the recorded changes between these two runs. `others` is the ratio of the other contenders in the same
    runs; None if none is on both sides. If it is about `times`, the machine changed, not the contender.
    """

    last: str
    first: str
    times: float
    changes: tuple[Change, ...]
    others: float | None


@dataclass(frozen=True)
class Timeline:
    """All runs of one cell, oldest first, and the changes of its level."""

    key: Key
    points: tuple[Point, ...]
    level_changes: tuple[LevelChange, ...]

    @property
    def searchable(self) -> bool:
        """Whether there are enough runs for two levels."""
        return sum(not point.flaw for point in self.points) >= 2 * LEAST


@dataclass(frozen=True)
class RememberedDoubt(Doubt):
    """A doubt of which only the sentence was kept."""

    sentence: str


def timelines(found: Iterable[StoredContest], confidence: float, margin: float) -> list[Timeline]:
    """Return the timeline of every cell in contests that are in chronological order.

    A change of level is reported if both levels lasted for LEAST runs and differ by more than `margin`.
    """
    points: dict[Key, list[Point]] = defaultdict(list)
    for key, point in points_of(found, confidence):
        points[key].append(point)
    return timelines_of(points, margin)


def points_of(found: Iterable[StoredContest], confidence: float) -> Iterator[tuple[Key, Point]]:
    """Yield every cell with a possible time in contests, in their order, with its key."""
    for one in found:
        for cell in one.cells.values():
            point = point_of(one, cell, confidence)
            if point is not None:
                yield cell.key, point


def timelines_of(points: Mapping[Key, Sequence[Point]], margin: float) -> list[Timeline]:
    """Return the timeline of every cell from its points, which are in chronological order and from one machine."""
    return [
        Timeline(key, tuple(series), tuple(level_changes(key, series, points, margin)))
        for key, series in points.items()
    ]


def point_of(stored_contest: StoredContest, cell: TrialCell, confidence: float) -> Point | None:
    """Return a cell as a point in time; None without a possible time."""
    seconds = list(filter(possible, cell.rounds.values()))
    step = estimate(seconds, confidence)
    if step is None:
        return None
    where = stored_contest.run, stored_contest.at, cell.label
    return Point(*where, median(seconds), step, cell.flaw, cell.identity, stored_contest.machine)


def level_changes(
    key: Key, series: Sequence[Point], points: Mapping[Key, Sequence[Point]], margin: float
) -> list[LevelChange]:
    """Return the changes of level of a cell; `points` are those of all cells."""
    sound = [point for point in series if not point.flaw]
    if len(sound) < 2 * LEAST:
        return []
    cut = segments([point.level for point in sound])
    return [
        level_change(key, sound, before, after, points)
        for before, after in pairwise(cut)
        if lasting(before) and lasting(after) and abs(log(after.level / before.level)) > log1p(margin)
    ]


def lasting(segment: Segment) -> bool:
    """Whether a level lasted for LEAST runs."""
    return segment.end - segment.start >= LEAST


def level_change(
    key: Key, sound: Sequence[Point], before: Segment, after: Segment, points: Mapping[Key, Sequence[Point]]
) -> LevelChange:
    """Return the change from one level to the next, with everything that changed between the two runs."""
    last, first = sound[after.start - 1], sound[after.start]
    changed = [*machine_changes(last.machine, first.machine), *changes(last.identity, first.identity)]
    earlier, later = ({point.run for point in sound[one.start : one.end]} for one in (before, after))
    company = {
        other: series
        for other, series in points.items()
        if other != key and (other.workload, other.setting) == (key.workload, key.setting)
    }
    return LevelChange(
        last.run,
        first.run,
        after.level / before.level,
        tuple(changed),
        change_of_others(company.values(), earlier, later),
    )


def change_of_others(company: Iterable[Sequence[Point]], earlier: set[str], later: set[str]) -> float | None:
    """Return the ratio of others between two groups of runs, later over earlier; None if none was in both."""
    found = []
    for series in company:
        old, new = ([point.level for point in series if point.run in runs] for runs in (earlier, later))
        if old and new:
            found.append(median(new) / median(old))
    return geometric_mean(found) if found else None
