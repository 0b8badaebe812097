"""Compare an installation's matrix products with the ceiling of this machine (docs/explanation/ceilings.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosettabench.ceilings.bench import BenchLibrary
from rosettabench.ceilings.ceiling import Ceiling, ceilings, measured_here
from rosettabench.ceilings.peak import Peak, Works
from rosettabench.verify.causes import Cause

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rosettabench.lab.run import Laboratory

SECONDS = 2.0
"""Seconds in which products are repeated: enough for every size that fits in them."""

LOW = 0.5
"""A share below this is reported as a cause. Vectors of half the width give half of the rate (AVX2 instead of AVX-512,
SSE instead of AVX2); tuned libraries with one width differ by less."""

Key = tuple[str, str]


@dataclass(frozen=True)
class Roof:
    """The highest rate of an installation's products, in operations per second, and the ceiling of other libraries.

    `ceiling` is None if no other library was measured on this machine with as many threads.
    """

    precision: str
    threads: int
    rate: float
    ceiling: Ceiling | None

    @property
    def share(self) -> float | None:
        """The rate as a share of the ceiling; above 1 if it is the new ceiling."""
        return self.rate / self.ceiling.rate if self.ceiling else None


def measure_roof(
    laboratory: Laboratory, library: BenchLibrary, setting: Mapping[str, Any], timeout: float, command: Sequence[str]
) -> Roof | None:
    """Measure an installation's products in a new worker, and store them like every ceiling.

    `setting` is that of its contest. None if its framework's adapter has no products, or none in this precision.
    """
    precision, threads, device = setting["precision"], setting["threads"], setting["device"]
    works = Works((precision,), (), threads, device, SECONDS)
    run = Peak(laboratory.store, laboratory.display, works, timeout).measure([library], command)
    known = measured_here(laboratory.store, run.machine)
    key: Key = ("product", precision)
    own = ceilings((one for one in known if one.library == library.label), threads, device).get(key)
    others = ceilings((one for one in known if one.library != library.label), threads, device).get(key)
    return Roof(precision, threads, own.rate, others) if own else None


def roof_causes(roof: Roof | None) -> list[Cause]:
    """Return a cause if the products reach less than LOW of the ceiling."""
    if roof is None or roof.ceiling is None or roof.share is None or roof.share >= LOW:
        return []
    return [
        Cause(
            f"its matrix products reach {roof.share:.0%} of what {roof.ceiling.library} reaches on this machine",
            "Look for another BLAS, a build for an older processor, or what limits its instruction set or threads.",
        )
    ]
