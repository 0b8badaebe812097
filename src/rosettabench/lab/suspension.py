"""Whether the machine slept: a laptop that was closed in the middle of a round."""

from __future__ import annotations

import time

SLEPT = 1.0
"""Seconds by which the clocks must part before it is called sleep; reading them both takes microseconds."""


class Suspension:
    """Watches from its making on. Linux has a clock that goes on while the machine sleeps, and one that does not."""

    def __init__(self) -> None:
        self._start = asleep()

    @property
    def seconds(self) -> float:
        """Seconds that the machine has slept since; 0 below SLEPT."""
        slept = asleep() - self._start
        return slept if slept > SLEPT else 0.0

    @property
    def sentence(self) -> str:
        """What happened, in words."""
        return f"the machine slept for {self.seconds:.0f} s"


def asleep() -> float:
    """Return the seconds that this machine has slept since it was started; 0 where the system does not tell."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
