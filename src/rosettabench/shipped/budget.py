"""Compute how many epochs and seeds fit into a time, from the time of one epoch of each library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Cost(NamedTuple):
    """The seconds of one training of a library: a fixed part, and a part for each epoch."""

    fixed: float
    epoch: float

    def of(self, epochs: int) -> float:
        """Return the seconds of a training for `epochs` epochs."""
        return self.fixed + epochs * self.epoch


def affordable(costs: Sequence[Cost], seconds: float, epochs: int, seeds: int) -> tuple[int, int]:
    """Return the epochs and the number of seeds, at least 1 each, with which all libraries train within `seconds`.

    Epochs are reduced first, and seeds only if not even one epoch fits: a ratio without a spread is worth little.
    """
    fixed, each = sum(cost.fixed for cost in costs), sum(cost.epoch for cost in costs)
    longest = int((seconds / seeds - fixed) / each) if each > 0 else epochs
    if longest >= 1:
        return min(longest, epochs), seeds
    return 1, max(1, min(seeds, int(seconds / (fixed + each))))
