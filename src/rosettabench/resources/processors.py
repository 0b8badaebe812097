"""Which processors a process may use, and which of them workers are held to."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")
"""Where Linux tells which processors are threads of one core (Documentation/admin-guide/cputopology.rst)."""


def usable_cores() -> int:
    """Return how many processors this process may use: the affinity, which its workers inherit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_processors(threads: int) -> list[int]:
    """Return the processors that every worker of a contest is held to: `threads` of those that this process may use.

    One of each core first, and second threads of cores only when all cores are taken. Fewer than `threads` if there
    are no more; none where the system has no affinity.
    """
    return sorted(processors_in_turn()[:threads])


def lane_processors(threads: int, lane: int) -> list[int]:
    """Return the processors of one of several workers that compute at the same time, counted from 0.

    They are the `threads` ones after those of the lanes before it, and from the first one on again when all are given
    away. None where the system has no affinity.
    """
    every = processors_in_turn()
    return sorted({every[(lane * threads + number) % len(every)] for number in range(threads)}) if every else []


def processors_in_turn() -> list[int]:
    """Return the processors of this process, one of each core first; none where the system has no affinity."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores: dict[str, list[int]] = {}
    for processor in sorted(os.sched_getaffinity(0)):
        cores.setdefault(core_of(processor), []).append(processor)
    deepest = max(map(len, cores.values()))
    return [core[place] for place in range(deepest) for core in cores.values() if place < len(core)]


def core_of(processor: int, root: Path = TOPOLOGY) -> str:
    """Return what names the core that a processor belongs to: its siblings; itself where the system does not tell."""
    try:
        return (root / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text().strip()
    except OSError:
        return str(processor)


@contextmanager
def confine_children(processors: Collection[int]) -> Iterator[None]:
    """Let whatever is started inside inherit these processors, and none besides: the worker, its threads and children.

    Inherited at birth, it holds for a worker in any language and before the first library is loaded, and for a
    framework that asks no variable how many threads it may have. Only the calling thread is moved, and moved back.
    """
    if not processors:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
