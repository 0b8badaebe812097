"""Prove that a timed region waits for the device: time each part of a long computation."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path

from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.workload import Workload, all_workloads, find_workload
from rosettabench.client.batches import draw_batches
from rosettabench.client.session import Session, Work
from rosettabench.data.prepare import prepare_data
from rosettabench.environments.environment import Environment
from rosettabench.errors import FailureKind, UsageError, WorkerError
from rosettabench.files import save_array
from rosettabench.plan.setting import Setting, canonical_setting
from rosettabench.proof.weights import draw_weights, save_weights

SIZES = {"cpu": 1024, "cuda": 2048}
"""Rows of the matrices: computing a product must take far longer than starting it."""

TRIAL = 8
LONGEST = 4000
"""The number of products that measures how long one takes, and the largest number in the long computation."""

LONG_S = 0.5
"""Target of the long computation: a thousand times the cost of fetching its result."""

DONE = 0.2
"""The wait holds if fetching the result takes less than this share of computing it. A finished result costs a copy of
4 to 16 MB, an unfinished one the whole computation."""

EARLY = 0.5
"""A framework that returns before this share of the time computes asynchronously: there was something to wait for."""


@dataclass(frozen=True)
class Wait:
    """Seconds from the start until the framework returned (`asked_s`) and until synchronisation returned (`done_s`).

    `read_s` is the time of fetching the result afterwards; `device` is the model's device as the framework reports it.
    """

    device: str
    asked_s: float
    done_s: float
    read_s: float
    finite: bool

    @property
    def holds(self) -> bool:
        """Whether the computation was over when synchronisation returned."""
        return self.finite and self.read_s < DONE * self.done_s

    @property
    def asynchronous(self) -> bool:
        """Whether the framework returned long before it was done; only then there was something to wait for."""
        return self.asked_s < EARLY * self.done_s


def measure_wait(session: Session) -> Wait:
    """Keep the device busy for about LONG_S with a worker whose model is built, and measure when each call returns."""
    size = SIZES[session.work.setting.device]
    session.ask("linger", size=size, repeats=1)  # compiles and starts what it needs
    trial = session.ask("linger", size=size, repeats=TRIAL)
    each = (trial["done_s"] + trial["read_s"]) / TRIAL  # if synchronisation does not wait, fetching does
    repeats = min(LONGEST, max(TRIAL, ceil(LONG_S / each)))
    found = session.ask("linger", size=size, repeats=repeats)
    device = str(session.settings().get("device", session.work.setting.device))
    return Wait(device, found["asked_s"], found["done_s"], found["read_s"], found["finite"])


def check_wait(entry: FrameworkEntry, environment: Environment, device: str, cache: Path, folder: Path) -> Wait:
    """Measure the wait of a framework in an environment, with a new worker.

    Raises WorkerError if it cannot compute on `device`, or silently uses another device.
    """
    work = some_work(entry, device, cache, folder)
    session = Session(entry, entry.mode, environment, work, folder / "session", timeout=300)
    try:
        session.open()
        session.build()
        wait = measure_wait(session)
    finally:
        session.process.close()
    if wait.device != device:
        raise WorkerError(FailureKind.UNSUPPORTED, f"{entry.name} computes on {wait.device}, not on {device}")
    return wait


def some_work(entry: FrameworkEntry, device: str, cache: Path, folder: Path) -> Work:
    """Return the work of a contest for the first workload that a framework implements; any workload would do."""
    workload = first_workload(entry)
    data = prepare_data(workload, data_dir=None, cache=cache, offline=True)
    base = canonical_setting(workload)
    setting = Setting(base.batch_size, device, base.precision, base.seed, base.threads)
    save_array(folder / "batches.npy", draw_batches(data.train.samples, setting.batch_size, 1, setting.seed))
    weights = save_weights(draw_weights(workload, setting.seed), folder / "weights")
    return Work(workload, setting, data, weights, folder / "batches.npy")


def first_workload(entry: FrameworkEntry) -> Workload:
    """Return the first workload that a framework implements; UsageError if it implements none."""
    for name in all_workloads():
        workload = find_workload(name)
        if entry.does(workload):
            return workload
    raise UsageError(f"{entry.name} implements no workload", "docs/guide/adding-a-workload.md tells how to write one.")
