"""A trainer: one library's live worker, for one training from the start of its process to the last sample path."""

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
from rosettabench.errors import WorkerError
from rosettabench.shipped.library import Library

SAME_SUM = 1e-9
"""Relative: two readers of a file may sum its numbers in another order, and nothing else."""


class Trainer:
    """Speaks the worker protocol, "Trainings", for one library.

    A context manager: the worker is started and imports its library; at the end it is ended. Every method raises
    WorkerError when the worker fails; one that is silent for `timeout` seconds is dead then, with all its children.
    """

    def __init__(self, library: Library, environment: Environment, threads: int, folder: Path, timeout: float) -> None:
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
        """Greet the worker and let it import its library; a worker that cannot is ended before the error goes on."""
        try:
            self.ask("hello", protocol=PROTOCOL)
            opened = self.ask("open", library=str(self.library.path), setting={"threads": self._threads})
        except BaseException:
            self.process.kill()
            raise
        self.import_s, self.packages = opened["import_s"], opened["packages"]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the worker; at once where something went wrong."""
        if kind is None:
            self.process.close()
        else:
            self.process.kill()

    def facts(self) -> list[dict[str, str]]:
        """Return what is read from the library's code: {what, value, where} each."""
        facts: list[dict[str, str]] = self.ask("facts")["facts"]
        return facts

    def settings(self) -> dict[str, Any]:
        """Return the effective settings that the worker reports."""
        settings: dict[str, Any] = self.ask("settings")["settings"]
        return settings

    def parse(self, series: PreparedSeries, file: Path | None) -> dict[str, Any]:
        """Let the library read the .tsf `file` into a data set of its own, or the prepared arrays where it is None.

        Raises WorkerError where it has read other series than the laboratory.
        """
        source = {"folder": str(series.folder)} if file is None else {"path": str(file)}
        reply = self.ask("parse", frequency=series.frequency.alias, horizon=series.horizon, **source)
        parts = [series.training(place).values for place in range(len(series))]
        values, total = sum(map(len, parts)), float(sum(np.nansum(part) for part in parts))
        if (reply["series"], reply["values"]) != (len(parts), values) or not isclose(
            reply["total"], total, rel_tol=SAME_SUM, abs_tol=SAME_SUM
        ):
            raise WorkerError(
                "error",
                f"{self.library.name} has read {reply['series']:,} series with {reply['values']:,} values, of the sum "
                f"{reply['total']:g}; there are {len(parts):,} with {values:,}, of the sum {total:g}",
            )
        return reply

    def train(self, context: int, epochs: int, samples: int, seed: int) -> dict[str, Any]:
        """Train the library's estimator, every generator seeded; its predictor will draw so many sample paths."""
        return self.ask("train", context=context, epochs=epochs, samples=samples, seed=seed)

    def predict(self) -> tuple[dict[str, Any], NDArray[np.float32]]:
        """Return the reply, and the sample paths of all series, (series, samples, horizon), mapped into memory."""
        reply = self.ask("predict", folder=str(self._folder / "forecasts"))
        return reply, np.load(reply["files"]["paths"], mmap_mode="r", allow_pickle=False)
