"""The proof that a timed region waits: a long computation of known length, and when each part of it returns."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path

from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.workload import Workload, all_workloads, find_workload
from rosettabench.client.batches import draw_batches
from rosettabench.client.session import Session, Work
from rosettabench.data.prepare import prepare
from rosettabench.environments.environment import Environment
from rosettabench.errors import UsageError, WorkerError
from rosettabench.files import save_array
from rosettabench.plan.setting import Setting, canonical_setting
from rosettabench.proof.weights import draw_weights, save_weights

SIZES = {"cpu": 1024, "cuda": 2048}
"""Rows of the matrices: large enough that computing a product takes far longer than asking for it."""

TRIAL = 8
LONGEST = 4000
"""Products that tell how long one takes, and the most that are asked for."""

LONG_S = 0.5
"""How long the computation shall take: a thousand times what fetching its result costs."""

DONE = 0.2
"""The result is there when fetching it takes less than this share of computing it. One that was not waited for would
take all of it, one that was takes a copy of 4 to 16 MB."""

EARLY = 0.5
"""A framework that has returned after this share of the time computes beside the caller: the wait is seen, too."""


@dataclass(frozen=True)
class Wait:
    """Seconds from one start: until the framework returned, and until synchronisation did; then, to fetch the result.

    `device` is where the model lies, as the framework tells.
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
        """Whether the framework returned long before it was done: only then was there anything to wait for."""
        return self.asked_s < EARLY * self.done_s


def measure_wait(session: Session) -> Wait:
    """Let a worker that is built make the device busy for about LONG_S, and see when it is told that this is over."""
    size = SIZES[session.work.setting.device]
    session.ask("linger", size=size, repeats=1)  # what is compiled or started for it
    trial = session.ask("linger", size=size, repeats=TRIAL)
    each = (trial["done_s"] + trial["read_s"]) / TRIAL  # fetching it is what waits, where synchronisation does not
    repeats = min(LONGEST, max(TRIAL, ceil(LONG_S / each)))
    found = session.ask("linger", size=size, repeats=repeats)
    device = str(session.settings().get("device", session.work.setting.device))
    return Wait(device, found["asked_s"], found["done_s"], found["read_s"], found["finite"])


def check_wait(entry: FrameworkEntry, environment: Environment, device: str, cache: Path, folder: Path) -> Wait:
    """Measure the wait of a framework in an environment, with a worker of its own.

    Raises WorkerError where it cannot compute on `device`; a framework that silently takes another is one of these.
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
        raise WorkerError("unsupported", f"{entry.name} computes on {wait.device}, not on {device}")
    return wait


def some_work(entry: FrameworkEntry, device: str, cache: Path, folder: Path) -> Work:
    """Return the first workload that a framework implements, as a contest would give it; any will do."""
    workload = first_workload(entry)
    data = prepare(workload.data.set, workload.data.form, data_dir=None, cache=cache, offline=True)
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
