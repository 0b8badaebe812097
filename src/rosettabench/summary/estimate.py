"""A number with its interval, as a summary holds it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """An estimate over rounds with its confidence interval; `low` and `high` are None below five rounds."""

    value: float
    low: float | None
    high: float | None
    rounds: int

    @property
    def exact(self) -> bool:
        """Whether it is true by definition: the fastest contender's time relative to its own."""
        return self.low == self.high == self.value
