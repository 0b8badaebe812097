"""The most time that a run still takes, as shown while it runs. The displayed end never moves to a later time."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

from rosettabench.plan.duration import duration_words

ROUNDING_S = 0.001
"""Seconds by which sums of the same times may differ because of rounding."""


class TimeLeft:
    """The most time that is left. None is shown without a basis for it, or once it has proved wrong."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """`clock` returns seconds and never goes back. No maximum is known before `expect`."""
        self._clock = clock
        self._end = inf
        self._known = False
        self._failed = False

    def expect(self, seconds: float | None) -> None:
        """Record the most seconds that the rest takes; None if unknown.

        An earlier end replaces the known one. A later end means that the known one was wrong; from then on no maximum
        is shown.
        """
        self._known = seconds is not None
        if seconds is not None:
            end = self._clock() + seconds
            self._failed = self._failed or end > self._end + ROUNDING_S
            self._end = min(self._end, end)

    @property
    def seconds(self) -> float | None:
        """The most seconds left, more than 0; None if no valid maximum is known."""
        left = self._end - self._clock()
        self._failed = self._failed or left <= 0  # work is left after the predicted end
        return left if self._known and not self._failed else None

    @property
    def words(self) -> str:
        """The maximum in words, ``at most 4 min left``; "longer than expected" if it was wrong; "" if it is unknown."""
        seconds = self.seconds
        if self._failed:
            return "longer than expected"
        return "" if seconds is None else f"at most {duration_words(seconds)} left"
