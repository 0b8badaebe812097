"""Real parts of the laboratory for tests: environments, data, sessions, references, at small sizes."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from processors import PROCESSORS
from smaller import small_workload
from tiers import check_lock

from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks, references
from rosettabench.catalogue.shared import read_whole
from rosettabench.catalogue.workload import Workload
from rosettabench.client.batches import draw_rows
from rosettabench.client.session import Session, Work
from rosettabench.data.prepare import prepare
from rosettabench.data.prepared import Prepared
from rosettabench.environments.environment import Environment, Environments
from rosettabench.environments.interpreter import find_interpreter
from rosettabench.environments.lock import load_lock
from rosettabench.errors import EnvironmentFault
from rosettabench.places import cache_dir, data_dir_default
from rosettabench.plan.proof_steps import STEPS
from rosettabench.plan.series import STATED, on_series
from rosettabench.plan.setting import Setting
from rosettabench.proof.decoded import from_memory
from rosettabench.proof.inference import InferenceProof, make_inference_reference
from rosettabench.proof.prove import Proof
from rosettabench.proof.reference import Reference, make_reference
from rosettabench.proof.weights import draw_weights, proof_weights, save_weights
from rosettabench.resources.processors import confine_children

BATCH = 8
TIMEOUT = 600.0


def environment(lock: str) -> Environment:
    """The managed environment of a lock, made if it is not there.

    Where this machine has no Python of its version, the test is skipped, and says which command brings one.
    """
    check_lock(lock)
    missing = missing_python(load_lock(lock).python)
    if missing:
        pytest.skip(missing)
    return made_environment(lock)


@cache
def missing_python(version: str) -> str:
    """Why this machine has no Python of a version, and the command that brings it; nothing if it has one."""
    try:
        find_interpreter(version)
    except EnvironmentFault as fault:
        return f"{fault.what}. {fault.hint}"
    return ""


@cache
def made_environment(lock: str) -> Environment:
    """The managed environment of a lock; to make it takes every processor."""
    with confine_children(PROCESSORS):
        return Environments(cache_dir() / "environments").make(load_lock(lock), lambda message: None)


def data_folder() -> Path | None:
    """The folder of real data: ROSETTA_DATA, or shared/data beside the checkout, or none (then: stand-ins)."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return data_dir_default() or (beside if beside.is_dir() else None)


@cache
def data(name: str, form: str, pictures: bool = False):
    """A data set, prepared in a form that JSON tells: real where it lies at hand, else its stand-in."""
    return prepare(name, json.loads(form), data_dir=data_folder(), cache=cache_dir(), offline=True, pictures=pictures)


def make_work(
    workload: Workload,
    folder: Path,
    batch_size: int | None = None,
    steps: int = 3 * STEPS,
    threads: int = 1,
    prepared: Prepared | None = None,
    **axes: str,
) -> Work:
    """The work of a contest at a small batch, the workload's proof's where it states one; `axes`: other values.

    On data that were `prepared`, or else on those of its set.
    """
    folder.mkdir(parents=True, exist_ok=True)
    workload = on_series(workload, axes.get("series", STATED)).proven
    batch_size = batch_size or workload.proof.batch_size or BATCH
    setting = replace(Setting(batch_size, "cpu", "float32", 0, threads), **axes)
    prepared = prepared or data(workload.data.set, json.dumps(workload.data.form), setting.input == "files")
    np.save(folder / "batches.npy", draw_rows(workload, prepared, setting, steps))
    weights = save_weights(draw_weights(workload, 0), folder / "weights")
    return Work(workload, setting, prepared, weights, folder / "batches.npy")


def small_work(name: str, folder: Path, **axes: str) -> Work:
    """The work of a contest at a small batch; of a workload that is large even so, a smaller one: smaller.py."""
    return make_work(small_workload(name, folder), folder, **axes)


def open_session(
    entry: FrameworkEntry,
    mode: str,
    where: Environment,
    work: Work,
    folder: Path,
    precision: str | None = None,
    rounded: str | None = None,
) -> Session:
    """A session that is ready to train; where the program of its worker is not there, the test is skipped."""
    if entry.program and shutil.which(entry.program) is None:
        pytest.skip(f"{entry.program} is not on PATH, which {entry.name} needs: rosetta doctor")
    return Session(entry, mode, where, work, folder, TIMEOUT, precision, rounded).prepare()


def reference(work: Work, folder: Path, name: str | None = None) -> Reference:
    """The float64 reference of some work: the preferred one of its workload, unless another is named."""
    work = from_memory(work, folder / "decoded")
    entry = all_frameworks()[name] if name else references(work.workload)[0]

    def start(precision: str, rounded: str | None, place: Path, adapter: Path | None = None) -> Session:
        own = entry if adapter is None else entry.model_copy(update={"path": adapter})
        return open_session(own, own.mode, environment(own.locks[0]), work, place, precision, rounded)

    make = make_reference if work.workload.inference is None else make_inference_reference
    return make(entry.name, work, start, proof_weights(work.workload, work.setting.seed, work.setting.device), folder)


def references_to(work_of: Callable[[str, Path], Work], folders) -> Callable[[str], tuple[Work, Reference]]:
    """From a workload's name to the work that `work_of` makes in a folder, and its reference: each made once."""

    @cache
    def get(name: str) -> tuple[Work, Reference]:
        folder = folders.mktemp(name)
        work = work_of(name, folder)
        return work, reference(work, folder / "reference")

    return get


def proven(entry: FrameworkEntry, mode: str, work: Work, exact: Reference, folder: Path, lock: str | None = None):
    """The finished proof of a framework in a managed environment, its default one unless a lock is named.

    With it, the settings that it reports after the proof.
    """
    session = open_session(entry, mode, environment(lock or entry.locks[0]), work, folder / "session")
    try:
        return proof_of(session, exact, folder / "proof"), session.settings()
    finally:
        session.process.close()


def proof_of(session: Session, exact: Reference, folder: Path) -> Proof | InferenceProof:
    """The finished proof of a session."""
    kind = Proof if session.work.workload.inference is None else InferenceProof
    proof = kind(session, exact, folder)
    proof.run()
    return proof


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


def tampered_files(plant: Plant, workload: Workload, folder: Path, release=None) -> tuple[FrameworkEntry, Path]:
    """Write a plant's adapter and implementation; return the contender with that adapter, and the implementation."""
    entry = all_frameworks()[plant.framework]
    source = workload.implementation(entry.implementation_name, release)
    assert source is not None, f"{plant.framework} does not implement {workload.name}"
    adapter = tamper(entry.path, plant.adapter, folder / "adapters" / entry.path.name)
    return entry.model_copy(update={"path": adapter}), tamper(source, plant.changes, folder / source.name)


def tamper(source: Path, changes, target: Path) -> Path:
    """Write a copy of `source` with each (old, new) replaced; every old text must be there."""
    text = read_whole(source)
    for old, new in changes:
        assert old in text, f"{source.name} has no {old!r}: the plant does not fit any more"
        text = text.replace(old, new)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
