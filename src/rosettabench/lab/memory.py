"""Peak memory of a worker and its children."""

from __future__ import annotations

from pathlib import Path


def peak_memory(pid: int) -> int | None:
    """Return the peak resident set of a process tree so far, in bytes; None where the system does not tell.

    It is the sum of every living process's own peak (VmHWM of /proc), read between turns. Where a worker has no
    children, as in most trials, that is exact; otherwise it is an upper bound, as peaks need not coincide.
    """
    import psutil

    try:
        tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return None
    peaks = [high_water(process.pid) for process in tree]
    known = [peak for peak in peaks if peak is not None]
    return sum(known) if known else None


def high_water(pid: int) -> int | None:
    """Return the largest resident set that a process has had, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    kibibytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return kibibytes[0] * 1024 if kibibytes else None
