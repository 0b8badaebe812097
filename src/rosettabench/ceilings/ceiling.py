"""The ceilings of a machine: the highest rates of any library in the store that was measured on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosettabench.ceilings.series import CeilingSeries
from rosettabench.store.kind import RunKind, kind_of
from rosettabench.store.machine import HARDWARE, machine_key

if TYPE_CHECKING:
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store


@dataclass(frozen=True)
class Ceiling:
    """The highest rate of a kind of work by any library, in operations or bytes per second.

    The work is `kind` (`product` or `copy`) and `what`. `size` is the rows of the matrices, or the bytes of the array.
    """

    kind: str
    what: str
    rate: float
    library: str
    size: int


def measured_here(store: Store, machine: Mapping[str, Any]) -> list[CeilingSeries]:
    """Return every series in the store that was measured on `machine`, described as in a run."""
    return measured_by_hardware(store, store.runs()).get(machine_key(machine, HARDWARE), [])


def measured_by_hardware(store: Store, rows: Iterable[Run]) -> dict[str, list[CeilingSeries]]:
    """Return {key of its hardware (store/machine.py): every series that `rows`, runs of the store, measured there}."""
    found: dict[str, list[CeilingSeries]] = {}
    for run in rows:
        if kind_of(run.request) is RunKind.PEAK:
            series = CeilingSeries.all_of(store.run(run.id).events)
            found.setdefault(machine_key(run.machine, HARDWARE), []).extend(series)
    return found


def ceilings(series: Iterable[CeilingSeries], threads: int, device: str) -> dict[tuple[str, str], Ceiling]:
    """Return {(kind, what): ceiling} with `threads` threads on a device, ignoring series with a fault."""
    found: dict[tuple[str, str], Ceiling] = {}
    for one in series:
        key = one.kind, one.what
        if (one.threads, one.device) != (threads, device) or one.fault is not None:
            continue
        if key not in found or one.best > found[key].rate:
            found[key] = Ceiling(one.kind, one.what, one.best, one.library, one.size)
    return found
