"""How long a run goes on at most, as it is said while it runs: a maximum that only ever comes nearer."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from rosettabench.plan.duration import duration_words


class TimeLeft:
    """The time that is left at most. Where there is no basis for a maximum, or one has not held, none is said.

    `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._end: float | None = None
        self._failed = False

    def expect(self, seconds: float | None) -> None:
        """Take in how long the rest takes at most, None where nobody knows.

        A shorter time is believed. A longer one means that what was said before does not hold: it is never said again.
        """
        if seconds is None:
            self._end = None
            return
        end = self._clock() + seconds
        if self._end is not None and end > self._end:
            self._failed = True
        self._end = end

    @property
    def seconds(self) -> float | None:
        """The seconds that are left at most, more than 0; None where no maximum is known to hold."""
        if self._end is not None and self._clock() >= self._end:
            self._failed = True  # work is left and the time is over
        return None if self._end is None or self._failed else self._end - self._clock()

    @property
    def words(self) -> str:
        """What is said of it: ``at most 4 min left``; nothing where no maximum is known to hold."""
        seconds = self.seconds
        return "" if seconds is None else f"at most {duration_words(seconds)} left"
