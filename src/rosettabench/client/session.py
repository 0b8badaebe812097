"""A session: one contender's live worker in one contest, from start to close."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, Self

from rosettabench.catalogue.as_shipped import AS_SHIPPED, variants_of
from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.roots import group_program
from rosettabench.catalogue.workload import Workload
from rosettabench.client.counts import Counts
from rosettabench.client.exported import export_model
from rosettabench.client.machine import KEPT_MEMORY, decisive_variables, worker_variables
from rosettabench.client.process import PROTOCOL, WorkerProcess
from rosettabench.data.prepared import Prepared
from rosettabench.data.readers.pictures import Pictures
from rosettabench.data.series.lags import lags_of
from rosettabench.environments.environment import Environment
from rosettabench.errors import WorkerError
from rosettabench.plan.learning_rate import CONSTANT, Pace, pace_of_training, schedule_of
from rosettabench.plan.setting import Setting
from rosettabench.resources.processors import confine_children, worker_processors

LAYOUT = "ROSETTA_LAYOUT"
LAYOUT_BYTES = 4096
"""A variable of random length in each worker's environment moves its stack by up to a page. The memory layout can
change times by some percent and must not favour one contender (Mytkowicz, Diwan, Hauswirth, Sweeney: "Producing wrong
data without doing anything obviously wrong!", ASPLOS 2009). The system randomises the rest."""

PYTHON_OF_R = "RETICULATE_PYTHON"
"""The variable by which R's reticulate finds its Python (see its "Python Version Configuration")."""

SERIES = 32
"""Series in one batch of forecasts: with a hundred paths each, a step has some thousand rows."""

TICKS = 25
"""Number of empty blocks whose median is the cost of reading the clock."""


def start_worker(
    environment: Environment,
    backend: str | None,
    threads: int,
    folder: Path,
    service: str = "model",
    worker: tuple[str, ...] = (),
    devices: int = 1,
) -> WorkerProcess:
    """Start a worker in `folder`, which must exist, under the policy for all workers.

    `worker` is the command of a worker in another language, which finds the environment's Python in a variable. With
    several `devices` it is a group of workers (`rosetta_worker.parallel`), and `threads` are those of each.
    """
    variables = {
        **worker_variables(threads, backend, environment.kind == "managed", folder),
        **environment.variables,
        **({PYTHON_OF_R: str(environment.python)} if worker else {}),
        LAYOUT: "x" * secrets.randbelow(LAYOUT_BYTES),
    }
    if devices > 1:
        worker = (str(environment.python), str(group_program()))
    with confine_children(worker_processors(devices * threads)):
        return WorkerProcess(environment.python, folder / "worker.log", variables, folder, service, worker)


def start_reference(environment: Environment, threads: int, folder: Path) -> WorkerProcess:
    """Start the worker of a reference in `folder`, which must exist; it keeps the memory of freed arrays.

    Nothing is timed in it, and several compute at the same time: it may use all processors of this thread.
    """
    variables = {**KEPT_MEMORY, **worker_variables(threads, None, environment.kind == "managed", folder)}
    return WorkerProcess(environment.python, folder / "worker.log", variables, folder)


@dataclass(frozen=True)
class Work:
    """The work of a contest, identical for all contenders: workload, setting, data, weights and batches.

    `weights` maps canonical names to .npy files; `batches` is an .npy file with the result of `draw_rows`.
    """

    workload: Workload
    setting: Setting
    data: Prepared
    weights: dict[str, str]
    batches: Path
    decoded_from: Work | None = None
    """If this work has pictures decoded by the controller (proof/decoded.py): the work that reads the files."""

    @property
    def stated(self) -> Work:
        """The work as contenders do it, reading picture files if there are some."""
        return self.decoded_from or self

    @property
    def lazy(self) -> tuple[str, ...]:
        """The tensors in which a step updates only the rows that its batch names."""
        return self.workload.embeddings if self.setting.embedding_gradient == "sparse" else ()

    @property
    def steps_per_epoch(self) -> int:
        """The steps of an epoch: those that the workload states, else the full batches of the training part."""
        stated = self.workload.training
        return (stated.steps if stated else None) or self.data.train.samples // self.setting.batch_size


@dataclass(frozen=True)
class Turn:
    """The reply to one `train` request, or to `infer`, which has neither loss nor rate.

    `elapsed_s` is by the worker's clock, `wall_s` by the controller's, from request to reply. `outputs` is the file of
    what was inferred, if it was asked for; it is written after the worker's clock has stopped.
    """

    elapsed_s: float
    cpu_s: float
    loss: float | None
    learning_rate: float | None
    samples: int
    wall_s: float
    counts: Counts | None = None
    outputs: Path | None = None


class Session:
    """Speaks the worker protocol with one contender. Every method raises WorkerError if the worker fails."""

    def __init__(
        self,
        entry: FrameworkEntry,
        mode: str,
        environment: Environment,
        work: Work,
        folder: Path,
        timeout: float,
        precision: str | None = None,
        rounded: str | None = None,
    ) -> None:
        """Start the worker. `precision` and `rounded` are for references: docs/reference/protocol.md, `open`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.work = work
        self.folder = folder
        self.timeout = timeout
        self.rows = work.batches
        self._entry = entry
        self._environment = environment
        self._mode = mode
        self._precision = precision or work.setting.precision
        self._rounded = rounded
        decisive = decisive_variables(os.environ)
        self._variables = [f"{name}={value}" for name, value in decisive.items()]
        self.devices = 1 if entry.reference else work.setting.devices
        self.device = "cpu" if entry.reference else work.setting.device
        threads = work.setting.threads
        if entry.reference:
            self.process = start_reference(environment, threads, folder)
        else:
            self.process = start_worker(
                environment, entry.backend, threads, folder, "model", entry.worker, self.devices
            )

    @property
    def adapter(self) -> Path:
        """The file of its framework's adapter."""
        return self._entry.adapter

    @property
    def implementation(self) -> Path:
        """The file of the workload that it runs."""
        found = self._entry.file_of(self.work.workload, self._environment.release)
        assert found is not None  # the plan leaves out contenders without one
        return found

    def beside(self, adapter: Path, folder: Path) -> Session:
        """Return another session of the same cell by another adapter, ready to train on one device."""
        entry = self._entry.model_copy(update={"path": adapter})
        work = replace(self.work, setting=replace(self.work.setting, devices=1))
        return Session(entry, self._mode, self._environment, work, folder, self.timeout).prepare()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 (fields are JSON)
        """Send one request of docs/reference/protocol.md with this session's time limit."""
        try:
            return self.process.ask(do, self.timeout, **fields)
        except WorkerError as error:
            error.hint = self._entry.hint_on(error.what) or error.hint
            raise

    def open(self) -> dict[str, Any]:
        """Greet the worker and let it import framework and implementation; return the reply to `open`."""
        self.ask("hello", protocol=PROTOCOL)
        adapter, implementation, mode = self._cell()
        setting = {
            **self.work.setting.as_json(),
            "schedule": schedule_of(self.work.setting.schedule, self.work.workload),
            "lazy": self.work.lazy,
            "precision": self._precision,
            "rounded": self._rounded,
            "mode": mode,
            "backend": self._entry.backend,
            "optimizer": self.work.workload.hyperparameters,
        }
        if self._entry.reference:  # loaders and groups are compared with it, so it uses none
            setting |= {"input": "memory", "devices": 1}
        return self.ask("open", framework=str(adapter), implementation=str(implementation), setting=setting)

    def _cell(self) -> tuple[Path, Path, str]:
        """Return adapter, implementation and mode; as shipped, copies of both files without the work-around.

        A framework that runs what is exported gets the export in place of the implementation.
        """
        workload, entry = self.work.workload, self._entry
        implementation = self.implementation
        if entry.exported is not None:
            inputs, weights = self.work.data.train.inputs, self.work.weights
            exported = export_model(workload, entry.exported, inputs, weights, self.timeout)
            return entry.adapter, exported.implementation, self._mode
        if self._mode != AS_SHIPPED:
            return (entry.parallel if self.devices > 1 else entry.adapter), implementation, self._mode
        variant = variants_of(entry.name, self._environment.release)[workload.name]
        implementation, adapter = variant.write(implementation, entry.adapter, self.folder / AS_SHIPPED)
        return adapter, implementation, entry.mode

    def build(
        self, weights: dict[str, str] | None = None, *, dropout: bool = True, pace: Pace | None = None
    ) -> dict[str, Any]:
        """Build the model, or build it again, from the canonical weights; without `dropout` it drops nothing.

        `pace` says how steps become epochs; by default the data and the schedule decide.
        """
        switch: dict[str, Any] = {} if dropout else {"dropout": False}
        schedule = self.work.setting.schedule
        if schedule != CONSTANT:
            switch |= asdict(pace or pace_of_training(schedule, self.work.steps_per_epoch))
        return self.ask("build", weights=weights or self.work.weights, **switch)

    def load(self) -> float:
        """Give the worker its data and batches; return the seconds that loading took."""
        data = self.work.data
        seconds = 0.0
        parts = {"train": data.train, "test": data.test}
        for part, files in ((part, files) for part, files in parts.items() if files.samples):
            inputs = {"inputs": str(files.inputs)}
            if part == "train" and data.pictures is not None:
                inputs = {"pictures": str(self._list_pictures(data.pictures))}
            seconds += self.ask("data", part=part, labels=str(files.labels), **inputs)["load_s"]
        self.hand_rows(self.work.batches)
        return seconds

    def hand_rows(self, path: Path) -> None:
        """Give the worker the batches to use from now on: an .npy file with the result of `draw_rows`."""
        self.ask("batches", path=str(path))
        self.rows = path

    def _list_pictures(self, pictures: Pictures) -> Path:
        """Write a file that lists the picture files and what to do with each; return its path."""
        path = self.folder / "pictures.json"
        stored = self.work.workload.data.augmentation.stored_side(pictures.side)
        path.write_text(json.dumps(pictures.as_json(stored)), encoding="utf-8")
        return path

    def prepare(self) -> Self:
        """Open, build and load. If that fails, end the worker before the error goes on."""
        try:
            self.open()
            self.build()
            self.load()
        except BaseException:
            self.process.kill()
            raise
        return self

    def block(self, first: int, steps: int, folder: Path | None = None) -> Turn:
        """Do `steps` steps of the workload: optimiser steps, or batches of inference, with outputs kept in `folder`."""
        if self.work.workload.inference is None:
            return self.train(first, steps)
        begun = monotonic()
        reply = self.infer(first, steps * self.work.setting.batch_size, folder)
        wall, counts = monotonic() - begun, Counts.of_reply(first, steps, reply)
        outputs = None if folder is None else Path(reply["files"]["outputs"])
        return Turn(reply["elapsed_s"], reply["cpu_s"], None, None, reply["samples"], wall, counts, outputs)

    def infer(self, first: int, samples: int, folder: Path | None = None) -> dict[str, Any]:
        """Infer `samples` samples from batch `first` on, the last partial batch included."""
        where = {} if folder is None else {"folder": str(folder)}
        return self.ask("infer", first=first, samples=samples, batch_size=self.work.setting.batch_size, **where)

    def train(self, first: int, steps: int) -> Turn:
        """Take `steps` optimiser steps from row `first` of the batches on."""
        begun = monotonic()
        reply = self.ask("train", first=first, steps=steps)
        wall = monotonic() - begun
        return Turn(
            reply["elapsed_s"],
            reply["cpu_s"],
            reply["loss"],
            reply["learning_rate"],
            reply["samples"],
            wall,
            Counts.of_reply(first, steps, reply),
        )

    def evaluate(self, samples: int, folder: Path | None = None) -> dict[str, Any]:
        """Evaluate the first `samples` of the test part, the last partial batch included."""
        where = {} if folder is None else {"folder": str(folder)}
        return self.ask("evaluate", part="test", samples=samples, batch_size=self.work.setting.batch_size, **where)

    def forecast(self, inputs: Path, paths: int, seed: int, folder: Path, batch_size: int = SERIES) -> dict[str, Any]:
        """Draw sample paths of the future of the windows in `inputs`, an .npy file without future values."""
        series = self.work.data.series
        assert series is not None
        return self.ask(
            "forecast",
            inputs=str(inputs),
            lags=lags_of(series.frequency.cycle),
            horizon=series.horizon,
            paths=paths,
            seed=seed,
            batch_size=batch_size,
            folder=str(folder),
        )

    def tick(self) -> float:
        """Return the seconds of an empty, synchronised block by the worker's clock: the median of TICKS."""
        return float(self.ask("tick", repeats=TICKS)["elapsed_s"])

    def settings(self) -> dict[str, Any]:
        """Return the settings in force that the framework reports, and the variables that may change its results."""
        settings: dict[str, Any] = self.ask("settings")["settings"]
        return settings | ({"variables": self._variables} if self._variables else {})
