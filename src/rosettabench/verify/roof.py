"""How far an installation's own matrix products stay below the ceiling of this machine.

The ceiling is that of docs/explanation/ceilings.md.
"""

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
"""How long products are repeated: enough for every size that two seconds can hold."""

LOW = 0.5
"""A share below this is told as a cause: half of what is possible is what vectors of half the width give (AVX2 where
there is AVX-512, SSE where there is AVX2), and more than tuned libraries of one width differ by."""

Key = tuple[str, str]


@dataclass(frozen=True)
class Roof:
    """The highest rate of an installation's own products, in operations per second, and the ceiling of the others.

    `ceiling` is None where no other library's products were measured on this machine with the same threads.
    """

    precision: str
    threads: int
    rate: float
    ceiling: Ceiling | None

    @property
    def share(self) -> float | None:
        """The rate as a share of the ceiling; above 1 where it is the new one."""
        return self.rate / self.ceiling.rate if self.ceiling else None


def measure_roof(
    laboratory: Laboratory, library: BenchLibrary, setting: Mapping[str, Any], timeout: float, command: Sequence[str]
) -> Roof | None:
    """Measure an installation's products in a worker of its own, and keep them in the store like every ceiling.

    `setting` is that of its contest. None where its framework's adapter multiplies nothing, or not in this precision.
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
    """Return low products as a cause."""
    if roof is None or roof.ceiling is None or roof.share is None or roof.share >= LOW:
        return []
    return [
        Cause(
            f"its matrix products reach {roof.share:.0%} of what {roof.ceiling.library} reaches on this machine",
            "Look for another BLAS, a build for an older processor, or what limits its instruction set or threads.",
        )
    ]
