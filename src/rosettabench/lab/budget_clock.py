"""Share what is left of a run's budget among its contests, while they take more or less than estimated."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from rosettabench.plan.budget import turns_of_next
from rosettabench.plan.estimate import TimeEstimate
from rosettabench.plan.request import ContestRequest
from rosettabench.store.record import Stopped


class BudgetClock:
    """The time of a run since its first contest began, and what each next contest may measure.

    `estimates` are those of its contests in their order, which are counted from 1.
    """

    def __init__(self, request: ContestRequest, estimates: Sequence[TimeEstimate]) -> None:
        """Start the clock."""
        self._stopping, self._budget, self._estimates = request.stopping, request.time_limit, estimates
        self._begun = self._last = monotonic()
        self._starts = self._expected_starts = 0.0

    def turns_of(self, number: int) -> float:
        """Return the measuring time of a contest in seconds; 0 if no time is left for it."""
        if self._budget is None:
            return self._stopping.seconds
        left = self._budget - (monotonic() - self._begun)
        slower = max(1.0, self._starts / self._expected_starts) if self._expected_starts else 1.0
        return turns_of_next(self._stopping, left, self._estimates[number - 1 :], slower)

    def ended(self, number: int, ending: Stopped) -> None:
        """Note that a contest has ended: what it took outside its timed blocks."""
        now = monotonic()
        self._starts += now - self._last - (ending.turns_s or 0.0)
        self._expected_starts += self._estimates[number - 1].starts(self._stopping)
        self._last = now
