"""Notice whether the machine slept, such as a laptop that was closed during a round."""

from __future__ import annotations

import time

SLEPT = 1.0
"""Seconds by which the two clocks must differ to count as sleep; reading both takes microseconds."""


class Suspension:
    """Watches for sleep from its creation on. Linux has a clock that goes on during sleep, and one that stops."""

    def __init__(self) -> None:
        """Read both clocks: earlier sleep does not count."""
        self._start = asleep()

    @property
    def seconds(self) -> float:
        """Seconds that the machine slept since then; 0 below SLEPT."""
        slept = asleep() - self._start
        return slept if slept > SLEPT else 0.0

    @property
    def sentence(self) -> str:
        """What happened, in words."""
        return f"the machine slept for {self.seconds:.0f} s"


def asleep() -> float:
    """Return the seconds that this machine slept since its start; 0 if the system does not report it."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
