"""Measure the load of the machine beside a contest: other programs, and a hypervisor that runs other guests.

The kernel counts the busy time of each processor in ``/proc/stat`` and that of each process in ``/proc/<pid>/stat``.
Busy time that is neither a contender's nor the controller's belongs to others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from time import monotonic, process_time

from rosettabench.resources.counters import OF_STAT, add_stat, ticks
from rosettabench.resources.resource import Resource
from rosettabench.resources.tree import content, process_tree

BUSY = (0, 1, 2, 5, 6)
"""Columns of a processor's line in ``/proc/stat``: user, nice, system, interrupts, soft interrupts."""

STOLEN = 7
"""The column of the time in which the hypervisor ran other guests on this processor."""

Reading = tuple[float, Mapping[int, tuple[float, float]], Mapping[int, float], float]
"""A moment; processor → (busy, stolen) seconds; contender's process → CPU seconds of its tree; the controller's."""


@dataclass(frozen=True)
class Load:
    """The load by others in `seconds` of wall time: shares of the time of `processors` processors."""

    seconds: float
    processors: int
    others: float
    stolen: float


class LoadWatch:
    """Watches the load from its creation on. It reads at its beginning and its end, outside of timed blocks."""

    def __init__(self, workers: Collection[int], groups: Collection[Collection[int]]) -> None:
        """Watch `groups` of processors; `workers` are the process ids of the contenders."""
        self._workers = workers
        self._groups = [group for group in map(frozenset, groups) if group]
        self._begin = read(workers)

    def load(self) -> Load | None:
        """Return the load of the busiest group since then; None if the system does not report it."""
        found = [load_between(self._begin, read(self._workers), group) for group in self._groups]
        known = [one for one in found if one is not None]
        return max(known, key=lambda one: one.others + one.stolen) if known else None


def load_between(before: Reading, after: Reading, group: Collection[int]) -> Load | None:
    """Return the load by others on a group of processors between two readings; None if not known."""
    seconds = after[0] - before[0]
    known = [processor for processor in group if processor in before[1] and processor in after[1]]
    if seconds <= 0 or not known:
        return None
    busy, stolen = (sum(after[1][one][kind] - before[1][one][kind] for one in known) for kind in (0, 1))
    # the count of a worker that ended in between is lost
    own = sum(max(0.0, used - before[2].get(worker, used)) for worker, used in after[2].items())
    others = busy - own - (after[3] - before[3])
    whole = seconds * len(known)
    return Load(seconds, len(known), max(0.0, others) / whole, max(0.0, stolen) / whole)


def read(workers: Collection[int]) -> Reading:
    """Return the seconds used so far; without processors if the system has no ``/proc/stat``."""
    return (
        monotonic(),
        read_processors(content("/proc/stat")),
        {one: tree_seconds(one) for one in workers},
        process_time(),
    )


def read_processors(stat: bytes) -> dict[int, tuple[float, float]]:
    """Return {processor: (busy, stolen) seconds} from the text of ``/proc/stat``."""
    found = {}
    for line in stat.splitlines():
        name, *columns = line.split()
        if name.startswith(b"cpu") and name != b"cpu":
            counts = [int(column) / ticks() for column in columns]
            stolen = counts[STOLEN] if len(counts) > STOLEN else 0.0
            found[int(name[3:])] = sum(counts[place] for place in BUSY if place < len(counts)), stolen
    return found


def tree_seconds(pid: int) -> float:
    """Return the processor time of a process and its children, including ended ones."""
    totals = dict.fromkeys(OF_STAT, 0.0)
    for member in process_tree(pid):
        add_stat(totals, content(f"/proc/{member}/stat"))
    return totals[Resource.CPU_USER] + totals[Resource.CPU_SYSTEM]
