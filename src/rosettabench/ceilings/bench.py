"""A bench: the worker of one library, which only does products and copies."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, Self

from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.client.process import PROTOCOL
from rosettabench.client.session import start_worker
from rosettabench.environments.environment import Environment
from rosettabench.errors import UsageError
from rosettabench.proof.weights import draw_weights, save_weights
from rosettabench.statistics.evidence import FEWEST_ROUNDS

SHORTEST_BLOCK_S = 0.05
"""Shortest block: reading the clock takes less than a thousandth of it, and it spans several time slices."""

ESTIMATES = 3
"""How often the length of a block is estimated at the most."""

SCANNED = 3
"""Blocks of each size when searching for the best one."""

PRECISE = 0.02
"""Relative half-width of the typical rate's interval at which the repetition stops."""

BASELINE = "numpy"
"""The label of NumPy alone, in the controller's own interpreter."""


@dataclass(frozen=True)
class BenchLibrary:
    """A library to measure: a contender in its environment, or NumPy alone if `contender` is None."""

    contender: Contender | None
    environment: Environment

    @property
    def label(self) -> str:
        """Its name in tables."""
        return BASELINE if self.contender is None else self.contender.label


def baseline() -> BenchLibrary:
    """Return NumPy alone, in the interpreter that runs this code."""
    return BenchLibrary(None, Environment("Rosettabench's own", Path(sys.executable), "external", {}, None))


class Bench:
    """Speaks the worker protocol with one library. Every method raises WorkerError if the worker fails or refuses."""

    def __init__(self, library: BenchLibrary, threads: int, device: str, folder: Path, timeout: float) -> None:
        """Create `folder`, which must be new, and start the worker in it. Each reply may take `timeout` seconds."""
        folder.mkdir(parents=True)
        self.library = library
        self._threads, self._device, self._folder, self._timeout = threads, device, folder, timeout
        entry = library.contender.entry if library.contender else None
        backend, worker = (entry.backend, entry.worker) if entry else (None, ())
        self.process = start_worker(library.environment, backend, threads, folder, worker=worker)

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 (fields are JSON)
        """Send one request of docs/reference/protocol.md."""
        return self.process.ask(do, self._timeout, **fields)

    def __enter__(self) -> Self:
        """Let the worker import its library and set it up. If that fails, end the worker before the error goes on."""
        try:
            self._open()
        except BaseException:
            self.process.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the worker."""
        self.process.close()

    def _open(self) -> None:
        """Set up the library. Frameworks apply threads and device when they build a model.

        So a framework builds the smallest model that the catalogue has for it, without training it.
        """
        self.ask("hello", protocol=PROTOCOL)
        setting = {"device": self._device, "threads": self._threads, "precision": "float32", "seed": 0, "batch_size": 1}
        contender = self.library.contender
        if contender is None:
            adapter = worker_folder() / "baseline.py"
            self.ask("open", framework=str(adapter), implementation=None, setting=setting)
            self.ask("build", weights={})
            return
        workload, implementation = smallest(contender)
        setting |= {"mode": contender.mode, "backend": contender.entry.backend, "rounded": None}
        setting |= {"embedding_gradient": "dense", "input": "memory", "optimizer": workload.hyperparameters}
        self.ask("open", framework=str(contender.entry.adapter), implementation=str(implementation), setting=setting)
        self.ask("build", weights=save_weights(draw_weights(workload, 0), self._folder / "weights"))

    def products(self, precision: str, size: int, seconds: float) -> CeilingSeries:
        """Return timed products of (size, size) matrices: as many blocks as fit into `seconds`, at least SCANNED."""
        ready = self.ask("product", size=size, precision=precision)
        return self._repeat("product", precision, size, ready["operations"], ready["error"], seconds)

    def copies(self, way: str, size: int, seconds: float) -> CeilingSeries | None:
        """Return timed copies of an array of `size` bytes; None if a copy differs from the original."""
        ready = self.ask("copy", bytes=size, way=way)
        return self._repeat("copy", way, size, ready["bytes"], None, seconds) if ready["equal"] else None

    def _repeat(
        self,
        kind: Literal["product", "copy"],
        what: str,
        size: int,
        amount: float,
        error: float | None,
        seconds: float,
    ) -> CeilingSeries:
        """Time blocks of the prepared work until their rate is precise or the time is used up."""
        end = perf_counter() + seconds
        times = self._times()
        elapsed: list[float] = []
        cpu: list[float] = []
        while True:
            reply = self.ask("repeat", times=times)
            elapsed.append(reply["elapsed_s"])
            cpu.append(reply["cpu_s"])
            series = CeilingSeries(
                library=self.library.label,
                environment=self.library.environment.name,
                threads=self._threads,
                device=self._device,
                kind=kind,
                what=what,
                size=size,
                amount=amount,
                times=times,
                seconds=tuple(elapsed),
                cpu_seconds=tuple(cpu),
                error=error,
            )
            if len(elapsed) >= SCANNED and (perf_counter() >= end or is_steady(series)):
                return series

    def _times(self) -> int:
        """Return how many times a block must do the prepared work to last SHORTEST_BLOCK_S.

        The first time tells little: it may include what a library does once, and on a GPU it is mostly the wait for it.
        """
        times, elapsed = 1, self.ask("repeat", times=1)["elapsed_s"]
        for _ in range(ESTIMATES):
            if elapsed >= SHORTEST_BLOCK_S:
                break
            times = max(times + 1, round(1.1 * SHORTEST_BLOCK_S * times / max(elapsed, 1e-9)))
            elapsed = self.ask("repeat", times=times)["elapsed_s"]
        return times


def is_steady(series: CeilingSeries) -> bool:
    """Return whether the typical rate is precise enough."""
    typical = series.typical if len(series.seconds) >= FEWEST_ROUNDS else None
    return typical is not None and typical.precision <= PRECISE


def smallest(contender: Contender) -> tuple[Workload, Path]:
    """Return the workload with the fewest parameters that a contender's framework implements, and its implementation.

    Raises UsageError if there is none.
    """
    able = [(workload, contender.entry.file_of(workload)) for workload in all_workloads().values()]
    for workload, path in sorted(able, key=lambda pair: pair[0].parameters):
        if path is not None:
            return workload, path
    raise UsageError(f"{contender.framework} implements no workload, and cannot be set up without one")
