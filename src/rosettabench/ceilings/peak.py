"""Measure the ceilings of this machine: one library after the other multiplies matrices and copies memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rosettabench.ceilings.bench import SCANNED, Bench, BenchLibrary
from rosettabench.ceilings.cache import copied_bytes
from rosettabench.ceilings.series import CeilingSeries, Refused
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.lab.begin import begin_run
from rosettabench.lab.journal import Journal
from rosettabench.plan.request import PeakRequest
from rosettabench.store.record import FailureStage, Finished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rosettabench.lab.display import Display
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store

SIZES = (512, 1024, 2048, 4096, 8192)
"""Rows of the matrices, tried in this order: small ones do not fill a machine, large ones take long."""

PREPARING = 3
"""Products before the first block of a size: a checked chain of two, and one that shows how long a block must be."""


@dataclass(frozen=True)
class Works:
    """The works to measure: precisions of matrix products and ways of copies, with a number of threads, on a device.

    `seconds` is the time for all of them together, without the start of workers and the preparation of matrices.
    """

    precisions: tuple[str, ...]
    ways: tuple[str, ...]
    threads: int
    device: str
    seconds: float


class Peak:
    """A measurement of ceilings: a run without contests, which stores each series when it is done."""

    def __init__(self, store: Store, display: Display, works: Works, timeout: float) -> None:
        """Each reply of a worker may take `timeout` seconds. The run begins in `measure`."""
        self._store = store
        self._display = display
        self._works = works
        self._timeout = timeout

    def measure(self, libraries: Sequence[BenchLibrary], command: Sequence[str]) -> Run:
        """Measure every work with each library, one library after the other; return the run."""
        run = begin_run(self._store, PeakRequest(threads=self._works.threads, device=self._works.device), command)
        journal = Journal(self._store, run.id)
        count = len(self._works.precisions) + len(self._works.ways)
        with tempfile.TemporaryDirectory(prefix="rosetta-") as scratch:
            for number, library in enumerate(libraries, start=1):
                self._display.contest(library.label, number, len(libraries))
                share = self._works.seconds / len(libraries) / count
                self._library(library, Path(scratch) / str(number), share, journal)
        journal.event(Finished())
        return self._store.run(run.id)

    def _library(self, library: BenchLibrary, folder: Path, seconds: float, journal: Journal) -> None:
        """Measure all works with one library, `seconds` for each; store a failure, and let the others go on."""
        self._display.doing("starting")
        try:
            with Bench(library, self._works.threads, self._works.device, folder, self._timeout) as bench:
                for precision in self._works.precisions:
                    self._display.doing(f"products in {precision}")
                    with note_refusals("product", precision, library, journal):
                        sweep(bench, precision, seconds, lambda series: note(series, journal))
                for way in self._works.ways:
                    self._display.doing(f"copies, {way.replace('_', ' ')}")
                    with note_refusals("copy", way, library, journal):
                        copy(bench, way, seconds, journal)
        except WorkerError as error:
            journal.failure(FailureStage.PEAK, error)
            self._display.tell(f"{library.label} cannot take part: {error.what}")


@contextmanager
def note_refusals(
    kind: Literal["product", "copy"], what: str, library: BenchLibrary, journal: Journal
) -> Iterator[None]:
    """Store that a library cannot do a work; raise all other errors again."""
    try:
        yield
    except WorkerError as error:
        if error.kind not in (FailureKind.UNSUPPORTED, FailureKind.OUT_OF_MEMORY):
            raise
        why = error.what.partition(": ")[2]
        journal.event(Refused(library=library.label, kind=kind, what=what, why=why))


def note(series: CeilingSeries, journal: Journal) -> None:
    """Store a series."""
    journal.event(series)


def sweep(bench: Bench, precision: str, seconds: float, found: Callable[[CeilingSeries], None]) -> None:
    """Find the size at which products are fastest, and repeat it until the rate is precise or `seconds` are used up.

    Sizes are tried in ascending order, as long as the next one takes less than half of the time left. Only products
    count, not the time in which a library draws and checks its matrices and compiles: on a GPU, that is far longer.
    """
    left = seconds
    best: CeilingSeries | None = None
    for size in SIZES:
        if best is not None and (SCANNED + PREPARING) * 2 * size**3 / best.best > left / 2:
            break
        series = bench.products(precision, size, 0.0)
        left -= sum(series.seconds)
        found(series)
        best = series if best is None or series.best > best.best else best
    if best is not None and left > 0:
        found(bench.products(precision, best.size, left))


def copy(bench: Bench, way: str, seconds: float, journal: Journal) -> None:
    """Time copies one way; raise WorkerError if a copy differs from the original."""
    series = bench.copies(way, copied_bytes(), seconds)
    if series is None:
        raise WorkerError(FailureKind.ERROR, f"the copy {way.replace('_', ' ')} differs from what was copied")
    note(series, journal)
