"""The two clocks of a worker: wall time and processor time."""

import resource
from time import perf_counter


def cpu_seconds():
    """Processor seconds, user and system, that this process and its finished children have used."""
    used = 0.0
    for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(whose)
        used += usage.ru_utime + usage.ru_stime
    return used


class Stopwatch(object):
    """Time a piece of work, with the device idle at both readings of the clock.

    Frameworks hand work to a device, or to their own threads, and return before it is done. `synchronize` waits for
    it: once before the first reading, so that earlier work is not counted, and once before the second, so that this
    work is.

    After the ``with`` block: `elapsed` in wall seconds, `cpu` in processor seconds.
    """

    def __init__(self, synchronize):
        self._synchronize = synchronize
        self.elapsed = None
        self.cpu = None

    def __enter__(self):
        self._synchronize()
        self._cpu = cpu_seconds()
        self._start = perf_counter()
        return self

    def __exit__(self, kind, error, trace):
        self._synchronize()
        self.elapsed = perf_counter() - self._start
        self.cpu = cpu_seconds() - self._cpu
        return False
