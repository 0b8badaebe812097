"""How long a run goes on at most, as it is said while it runs: a maximum that only ever comes nearer."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

from rosettabench.plan.duration import duration_words

ROUNDING_S = 0.001
"""Seconds by which sums of the same times may differ: more than floating-point numbers do."""


class TimeLeft:
    """The time that is left at most. Where there is no basis for a maximum, or one has not held, none is said.

    `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._end = inf
        self._known = False
        self._failed = False

    def expect(self, seconds: float | None) -> None:
        """Take in how long the rest takes at most, None where nobody knows.

        A shorter time is believed. A longer one means that what was said before does not hold: it is never said again.
        """
        self._known = seconds is not None
        if seconds is not None:
            end = self._clock() + seconds
            self._failed = self._failed or end > self._end + ROUNDING_S
            self._end = min(self._end, end)

    @property
    def seconds(self) -> float | None:
        """The seconds that are left at most, more than 0; None where no maximum is known to hold."""
        left = self._end - self._clock()
        self._failed = self._failed or left <= 0  # work is left and the time is over
        return left if self._known and not self._failed else None

    @property
    def words(self) -> str:
        """What is said of it: ``at most 4 min left``; nothing where nobody knows a maximum."""
        seconds = self.seconds
        if self._failed:
            return "longer than expected"
        return "" if seconds is None else f"at most {duration_words(seconds)} left"
