"""A number with its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """An estimate over rounds with its confidence interval; `low` and `high` are None below five rounds."""

    value: float
    low: float | None
    high: float | None
    rounds: int

    def inverse(self, amount: float) -> Estimate:
        """Return the rate: `amount` over this time, with its interval."""
        low, high = (None if end is None else amount / end for end in (self.high, self.low))
        return Estimate(amount / self.value, low, high, self.rounds)

    def times(self, factor: float) -> Estimate:
        """Return the same in another unit, of which `factor` make one of this."""
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        return Estimate(factor * self.value, low, high, self.rounds)

    @property
    def exact(self) -> bool:
        """Whether it is exact by definition: the fastest contender's time relative to itself."""
        return self.low == self.high == self.value
