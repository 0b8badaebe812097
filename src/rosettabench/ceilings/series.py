"""Timed blocks of one work by one library, as the store keeps them. Every ceiling is computed from these."""

from __future__ import annotations

from typing import ClassVar, Literal

from rosettabench.ceilings.precision import precision_fault
from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.store.record import Record

SPARE_CORES = 0.25
"""Cores beyond its threads that a library may keep busy: the waiting of its main thread takes processor time too."""


class CeilingSeries(Record):
    """Timed blocks of one work: matrix products of one precision and size, or copies one way.

    `library` is a contender, or ``numpy``. `size` is the rows of the matrices, or the bytes of the array. `amount` is
    the floating-point operations, or bytes, of one repetition. A block has `times` repetitions; `seconds` and
    `cpu_seconds` have one number for each block. `error` is that of a product relative to float64.
    """

    KIND: ClassVar[str] = "ceiling"

    library: str
    environment: str
    threads: int
    device: str
    kind: Literal["product", "copy"]
    what: str
    """The precision, or the way of the copy."""
    size: int
    amount: float
    times: int
    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]
    error: float | None

    @property
    def rates(self) -> tuple[float, ...]:
        """Operations or bytes per second, for each block."""
        return tuple(self.amount * self.times / one for one in self.seconds)

    @property
    def best(self) -> float:
        """The highest rate of any block: a rate reached once can be reached again."""
        return max(self.rates)

    @property
    def typical(self) -> Interval | None:
        """The typical rate and its 95% interval; None with too few blocks."""
        return ratio_interval(self.rates)

    @property
    def cores(self) -> float:
        """The average number of busy processors during the blocks."""
        return sum(self.cpu_seconds) / sum(self.seconds)

    @property
    def fault(self) -> str | None:
        """Why this series does not have the precision or threads that it states; None if it does."""
        if self.device == "cpu" and self.cores > self.threads + SPARE_CORES:
            return f"computed on {self.cores:.1f} cores, told to use {self.threads}"
        if self.kind == "product" and self.error is not None:
            return precision_fault(self.what, self.size, self.error)
        return None


class Refused(Record):
    """A work that a library cannot do, with the reason in its own words."""

    KIND: ClassVar[str] = "refused"

    library: str
    kind: Literal["product", "copy"]
    what: str
    why: str
