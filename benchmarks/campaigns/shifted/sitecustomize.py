"""A wall clock that jumps, for the processes that find this file first on their PYTHONPATH.

After ROSETTA_JUMP_AFTER seconds, `time.time`, `time.time_ns` and `datetime.now` are off by ROSETTA_JUMP seconds. What
asks the kernel in C, as SQLite and the times of files do, is not shifted. The monotonic clock never jumps.
"""

import datetime
import os
import time

TIME, TIME_NS, BEGUN = time.time, time.time_ns, time.monotonic()
AFTER, JUMP = float(os.environ["ROSETTA_JUMP_AFTER"]), float(os.environ["ROSETTA_JUMP"])


def read_shift():
    """Return by how many seconds the clock is off now."""
    return JUMP if time.monotonic() - BEGUN >= AFTER else 0.0


class ShiftedDatetime(datetime.datetime):
    """A datetime whose present is shifted."""

    @classmethod
    def now(cls, tz=None):
        """Return the present moment by the shifted clock."""
        return cls.fromtimestamp(TIME() + read_shift(), tz)


time.time = lambda: TIME() + read_shift()
time.time_ns = lambda: TIME_NS() + int(read_shift() * 1e9)
datetime.datetime = ShiftedDatetime
