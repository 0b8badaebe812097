"""The processors that a process may use, and those that workers are confined to."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")
"""Where Linux lists which processors are threads of one core (Documentation/admin-guide/cputopology.rst)."""


def usable_cores() -> int:
    """Return how many processors this process may use, by its affinity, which workers inherit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_processors(threads: int) -> list[int]:
    """Return the processors that all workers of a contest are confined to: `threads` of those of this process.

    They are one per core first; second threads of cores follow only when all cores are taken. There may be fewer than
    `threads`; none if the system has no affinity.
    """
    return sorted(processors_in_turn()[:threads])


def lane_processors(threads: int, lane: int) -> list[int]:
    """Return the processors of one of several workers that compute at the same time; `lane` counts from 0.

    They are the `threads` processors after those of the lanes before it, starting again with the first when all are
    used. Empty if the system has no affinity.
    """
    every = processors_in_turn()
    return sorted({every[(lane * threads + number) % len(every)] for number in range(threads)}) if every else []


def processors_in_turn() -> list[int]:
    """Return the processors of this process, one per core first; empty if the system has no affinity."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores: dict[str, list[int]] = {}
    for processor in sorted(os.sched_getaffinity(0)):
        cores.setdefault(core_of(processor), []).append(processor)
    deepest = max(map(len, cores.values()))
    return [core[place] for place in range(deepest) for core in cores.values() if place < len(core)]


def core_of(processor: int, root: Path = TOPOLOGY) -> str:
    """Return a name of the core of a processor: the list of its siblings; itself if the system does not report it."""
    try:
        return (root / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text().strip()
    except OSError:
        return str(processor)


@contextmanager
def confine_children(processors: Collection[int]) -> Iterator[None]:
    """Confine all processes started inside to these processors: the worker, its threads and children.

    The affinity is inherited, so it holds for workers in any language, before a library is loaded, and for frameworks
    that ignore the thread variables. The calling thread itself is moved meanwhile.
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
