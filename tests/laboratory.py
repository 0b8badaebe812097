"""Real parts of the laboratory for tests: environments, data, sessions, references, at small sizes."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.data.prepare import prepare
from rosettabench.environments.environment import Environment, Environments
from rosettabench.environments.lock import load_lock
from rosettabench.lab.batches import draw_batches
from rosettabench.lab.session import Session, Work
from rosettabench.places import cache_dir, data_dir_default
from rosettabench.plan.setting import Setting
from rosettabench.proof.reference import Reference, make_reference
from rosettabench.proof.walk import STEPS
from rosettabench.proof.weights import draw_weights, proof_weights, save_weights

BATCH = 8
TIMEOUT = 600.0


@cache
def environment(lock: str) -> Environment:
    """The managed environment of a lock, made if it is not there."""
    return Environments(cache_dir() / "environments").make(load_lock(lock), lambda message: None)


def data_folder() -> Path | None:
    """The folder of real data: ROSETTA_DATA, or shared/data beside the checkout, or none (then: stand-ins)."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return data_dir_default() or (beside if beside.is_dir() else None)


@cache
def data(name: str):
    """The prepared data of a workload: real where it lies at hand, else its stand-in."""
    workload = find_workload(name)
    return prepare(workload.data.set, workload.data.form, data_dir=data_folder(), cache=cache_dir(), offline=True)


def make_work(
    workload: Workload, folder: Path, batch_size: int = BATCH, steps: int = 3 * STEPS, threads: int = 1, **axes: str
) -> Work:
    """The work of a contest at a small batch, with values on other axes."""
    folder.mkdir(parents=True, exist_ok=True)
    prepared = data(workload.name)
    np.save(folder / "batches.npy", draw_batches(prepared.train.samples, batch_size, steps, 0))
    weights = save_weights(draw_weights(workload, 0), folder / "weights")
    setting = replace(Setting(batch_size, "cpu", "float32", 0, threads), **axes)
    return Work(workload, setting, prepared, weights, folder / "batches.npy")


def open_session(
    entry: FrameworkEntry,
    mode: str,
    where: Environment,
    work: Work,
    folder: Path,
    precision: str | None = None,
    rounded: str | None = None,
) -> Session:
    """A session that is ready to train."""
    return Session(entry, mode, where, work, folder, TIMEOUT, precision, rounded).prepare()


def reference(work: Work, folder: Path, name: str = "reference-pytorch") -> Reference:
    """The float64 reference of some work."""
    entry = all_frameworks()[name]

    def start(precision: str, rounded: str | None, place: Path) -> Session:
        return open_session(entry, entry.mode, environment(entry.locks[0]), work, place, precision, rounded)

    return make_reference(name, start, proof_weights(work.workload, work.setting.seed), folder)


class Planted(Workload):
    """A workload whose implementation in one framework was tampered with."""

    tampered: Path

    def implementation(self, framework: str) -> Path | None:
        return super().implementation(framework) if framework.startswith("reference") else self.tampered


@dataclass(frozen=True)
class Plant:
    """One mistake: text replacements in an implementation (and in the adapter), and how the proof must answer."""

    name: str
    workload: str
    changes: tuple[tuple[str, str], ...]
    diverges: str
    cause: str
    adapter: tuple[tuple[str, str], ...] = ()
    framework: str = "pytorch"
    mode: str = "eager"


def tamper(source: Path, changes, target: Path) -> Path:
    """Write a copy of `source` with each (old, new) replaced; every old text must be there."""
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, f"{source.name} has no {old!r}: the plant does not fit any more"
        text = text.replace(old, new)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
