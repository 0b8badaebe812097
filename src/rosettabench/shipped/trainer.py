"""A trainer: the worker of one library for one training, from the start of its process to the last sample path."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosettabench.client.process import PROTOCOL
from rosettabench.client.session import start_worker
from rosettabench.data.series.series import PreparedSeries
from rosettabench.environments.environment import Environment
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.shipped.library import Library

SAME_SUM = 1e-9
"""Relative tolerance of sums: two readers of a file may only sum its numbers in another order."""


class Trainer:
    """Speaks the worker protocol, "Trainings", with one library.

    As a context manager it lets its worker import the library, and ends it. Every method raises WorkerError if the
    worker fails. A worker that does not reply within `timeout` seconds is killed, with all its children.
    """

    def __init__(self, library: Library, environment: Environment, threads: int, folder: Path, timeout: float) -> None:
        """Create `folder`, which must be new, and start the worker in it. Entering the context imports the library."""
        self.library = library
        self.interpreter = environment.version
        self.packages: dict[str, str] = {}
        self.import_s = 0.0
        self._folder, self._timeout, self._threads = folder, timeout, threads
        folder.mkdir(parents=True)
        self.process = start_worker(environment, None, threads, folder, "training")

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 (fields are JSON)
        """Send one request of docs/reference/protocol.md."""
        return self.process.ask(do, self._timeout, **fields)

    def __enter__(self) -> Self:
        """Greet the worker and let it import its library. If that fails, end the worker before the error goes on."""
        try:
            self.ask("hello", protocol=PROTOCOL)
            opened = self.ask("open", library=str(self.library.path), setting={"threads": self._threads})
        except BaseException:
            self.process.kill()
            raise
        self.import_s, self.packages = opened["import_s"], opened["packages"]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the worker; kill it if something went wrong."""
        if kind is None:
            self.process.close()
        else:
            self.process.kill()

    def facts(self) -> list[dict[str, str]]:
        """Return the facts read from the library's code: {what, value, where} each."""
        facts: list[dict[str, str]] = self.ask("facts")["facts"]
        return facts

    def settings(self) -> dict[str, Any]:
        """Return the settings in force that the worker reports."""
        settings: dict[str, Any] = self.ask("settings")["settings"]
        return settings

    def parse(self, series: PreparedSeries, file: Path | None) -> dict[str, Any]:
        """Let the library read the .tsf `file`, or the prepared arrays if it is None, into its own data set.

        Raises WorkerError if it read other series than the controller.
        """
        source = {"folder": str(series.folder)} if file is None else {"path": str(file)}
        reply = self.ask("parse", frequency=series.frequency.alias, horizon=series.horizon, **source)
        parts = [series.training(place).values for place in range(len(series))]
        values, total = sum(map(len, parts)), float(sum(np.nansum(part) for part in parts))
        if (reply["series"], reply["values"]) != (len(parts), values) or not isclose(
            reply["total"], total, rel_tol=SAME_SUM, abs_tol=SAME_SUM
        ):
            raise WorkerError(
                FailureKind.ERROR,
                f"{self.library.name} has read {reply['series']:,} series with {reply['values']:,} values, of the sum "
                f"{reply['total']:g}; there are {len(parts):,} with {values:,}, of the sum {total:g}",
            )
        return reply

    def train(self, context: int, epochs: int, samples: int, seed: int) -> dict[str, Any]:
        """Train the library's estimator, with every generator seeded; its predictor draws `samples` sample paths."""
        return self.ask("train", context=context, epochs=epochs, samples=samples, seed=seed)

    def predict(self) -> tuple[dict[str, Any], NDArray[np.float32]]:
        """Return the reply, and the memory-mapped sample paths of all series, (series, samples, horizon)."""
        reply = self.ask("predict", folder=str(self._folder / "forecasts"))
        return reply, np.load(reply["files"]["paths"], mmap_mode="r", allow_pickle=False)
