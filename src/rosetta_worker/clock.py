"""The two clocks of a worker: wall time and processor time."""

import os
import resource
from time import perf_counter


def cpu_seconds(children=()):
    """Return the processor seconds, user and system, of this process, its finished children, and the ids `children`."""
    used = sum(map(cpu_seconds_of, children))
    for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(whose)
        used += usage.ru_utime + usage.ru_stime
    return used


def cpu_seconds_of(process):
    """Return the processor seconds of another process, with the resolution of /proc; 0 without such a file."""
    try:
        with open("/proc/%d/stat" % process) as file:
            fields = file.read().rpartition(")")[2].split()  # the name, in brackets, may contain anything
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


class Stopwatch(object):
    """Time a piece of work, with the device idle at both readings of the clock.

    Frameworks pass work to a device, or to their own threads, and return before it is done. `synchronize` waits for it:
    before the first reading, so that earlier work is not counted, and before the second, so that this work is.
    `children` are the ids of processes that work for this one.

    After the ``with`` block: `elapsed` in wall seconds, `cpu` in processor seconds.
    """

    def __init__(self, synchronize, children=()):
        self._synchronize = synchronize
        self._children = children
        self.elapsed = None
        self.cpu = None

    def __enter__(self):
        self._synchronize()
        self._cpu = cpu_seconds(self._children)
        self._start = perf_counter()
        return self

    def __exit__(self, kind, error, trace):
        self._synchronize()
        self.elapsed = perf_counter() - self._start
        self.cpu = cpu_seconds(self._children) - self._cpu
        return False
