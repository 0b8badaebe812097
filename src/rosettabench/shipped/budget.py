"""How much of the trainings fits into a time: from what one epoch of each library took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Cost(NamedTuple):
    """Seconds that one training of a library takes: whatever its length, and for each epoch."""

    fixed: float
    epoch: float

    def of(self, epochs: int) -> float:
        """Return the seconds of a training of so many epochs."""
        return self.fixed + epochs * self.epoch


def affordable(costs: Sequence[Cost], seconds: float, epochs: int, seeds: int) -> tuple[int, int]:
    """Return the epochs and the number of seeds with which all libraries can be trained in so many `seconds`.

    Epochs are given up first, seeds only where not even one epoch fits: a ratio without a spread is worth little. At
    least one of each.
    """
    fixed, each = sum(cost.fixed for cost in costs), sum(cost.epoch for cost in costs)
    longest = int((seconds / seeds - fixed) / each) if each > 0 else epochs
    if longest >= 1:
        return min(longest, epochs), seeds
    return 1, max(1, min(seeds, int(seconds / (fixed + each))))
