"""The kernel's counters of a process tree. They only grow; the usage in a window is the difference of two readings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from rosettabench.resources.resource import Resource
from rosettabench.resources.tree import content, process_tree, threads
from rosettabench.resources.usage import Usage

OF_STAT = {
    Resource.MINOR_FAULTS: (10, 11),
    Resource.MAJOR_FAULTS: (12, 13),
    Resource.CPU_USER: (14, 16),
    Resource.CPU_SYSTEM: (15, 17),
}
"""Figure → two fields of ``/proc/<pid>/stat``, numbered as in proc(5): the count of the process, and that of its ended
children."""

OF_IO = {Resource.READ: b"read_bytes", Resource.WRITTEN: b"write_bytes"}
"""Figure → line of ``/proc/<pid>/io``: the bytes that storage read and wrote, without the page cache."""

SWITCHES = (Resource.VOLUNTARY_SWITCHES, Resource.INVOLUNTARY_SWITCHES)
"""Context switches because the process waited, or was interrupted; of the threads that live when the window ends."""

MOST_THREADS = 24
"""Most threads whose context switches are read: each costs 25 µs per block, and all readings should cost 1 ms."""

COUNTERS = (*OF_STAT, *OF_IO, *SWITCHES)
"""All counters."""


@dataclass(frozen=True)
class Counters:
    """One reading of a process tree. `switches` are by thread, because the counts of ended threads are lost."""

    totals: Mapping[Resource, float]
    switches: Mapping[str, tuple[int, int]]
    unreadable: Mapping[Resource, str]


def read_counters(pid: int) -> Counters:
    """Return what a process tree used since its start: CPU seconds, faults, bytes of storage, context switches.

    If the process has ended, `unreadable` says so for every counter.
    """
    tree = process_tree(pid)
    if not tree:
        return Counters({}, {}, dict.fromkeys(COUNTERS, f"process {pid} has ended"))
    totals = dict.fromkeys(OF_STAT, 0.0)
    for member in tree:
        add_stat(totals, content(f"/proc/{member}/stat"))
    io = [content(f"/proc/{member}/io") for member in tree]
    unreadable: dict[Resource, str] = {}
    if io[0]:
        totals |= storage(io)
    else:
        unreadable = dict.fromkeys(OF_IO, "the system does not let this user read /proc/<pid>/io")
    members = [(member, thread) for member in tree for thread in threads(member)]
    if len(members) > MOST_THREADS:
        unreadable |= dict.fromkeys(SWITCHES, f"reading them of more than {MOST_THREADS} threads costs too much")
        members = []
    return Counters(totals, thread_switches(members), unreadable)


def used_between(before: Counters, after: Counters) -> Usage:
    """Return the usage between two readings of one tree."""
    unreadable = {**before.unreadable, **after.unreadable}
    values = {
        name: after.totals[name] - before.totals[name]
        for name in after.totals
        if name in before.totals and name not in unreadable
    }
    lost = [name for name, value in values.items() if value < 0]
    unreadable |= dict.fromkeys(lost, "a child of the worker ended and took its counters with it")
    if not set(SWITCHES) & set(unreadable):
        values |= switches_between(before.switches, after.switches)
    return Usage({name: value for name, value in values.items() if name not in unreadable}, unreadable)


# -- the files of /proc ------------------------------------------------------------------------------------------------


def add_stat(totals: dict[Resource, float], stat: bytes) -> None:
    """Add the numbers of one process and of its ended children to `totals`."""
    if not stat:
        return
    fields = stat[stat.rindex(b")") + 2 :].split()  # from field 3 on: the name in field 2 may contain anything
    for name, places in OF_STAT.items():
        amount = sum(int(fields[place - 3]) for place in places)
        totals[name] += amount / ticks() if name.endswith("_s") else amount


@cache
def ticks() -> int:
    """Return the ticks per second in which the kernel counts processor time: the resolution of CPU seconds."""
    return os.sysconf("SC_CLK_TCK")


def storage(contents: Iterable[bytes]) -> dict[Resource, float]:
    """Return the bytes that all processes together read from and wrote to storage."""
    lines = [line.split(b":") for text in contents for line in text.splitlines()]
    return {name: float(sum(int(value) for key, value in lines if key == wanted)) for name, wanted in OF_IO.items()}


def thread_switches(members: Iterable[tuple[int, str]]) -> dict[str, tuple[int, int]]:
    """Return {thread: (voluntary, involuntary) context switches}, from (process, thread); ended threads are missing."""
    found = {}
    for pid, thread in members:
        status = content(f"/proc/{pid}/task/{thread}/status")
        _, _, counts = status.partition(b"\nvoluntary_ctxt_switches:")
        words = counts.split()
        if len(words) >= 3:
            found[thread] = (int(words[0]), int(words[2]))
    return found


def switches_between(
    before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]
) -> dict[Resource, float]:
    """Return the context switches in the window of the threads that live at its end."""
    pairs = [(counts, before.get(thread, (0, 0))) for thread, counts in after.items()]
    return {name: float(sum(now[i] - then[i] for now, then in pairs)) for i, name in enumerate(SWITCHES)}
