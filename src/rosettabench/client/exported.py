"""Models exported for the frameworks that run no code of a workload: each is made once, and kept in the cache."""

from __future__ import annotations

import fcntl
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rosettabench.catalogue.framework import ExportedFrom, FrameworkEntry, all_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.shared import shared_files
from rosettabench.catalogue.workload import Workload
from rosettabench.client.program import run_program
from rosettabench.environments.environment import Environments
from rosettabench.environments.lock import load_lock
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.places import cache_dir

PROGRAM = "export.py"
"""The file of the worker's package that does it."""

FOLDER = "exports"
"""The folder of the cache that keeps what was exported."""


@dataclass(frozen=True)
class ExportedModel:
    """A model in ONNX's format: the folder that a program of its framework's environment has written."""

    folder: Path

    @property
    def file(self) -> Path:
        """The model."""
        return self.folder / "model.onnx"

    @property
    def implementation(self) -> Path:
        """What a worker loads in place of the implementation: where the model lies, and its ties."""
        return self.folder / "exported.py"


def export_model(
    workload: Workload, how: ExportedFrom, inputs: Path, weights: Mapping[str, str], timeout: float
) -> ExportedModel:
    """Return a workload's model with canonical `weights`, {name: .npy file}, exported now unless it is in the cache.

    `inputs` is an .npy file of samples, whose shape and type the model is to take. Raises WorkerError where the model
    cannot be exported or the cache not be written, and EnvironmentFault where the environment that exports it cannot be
    made.
    """
    implementation = how.file_of(workload)
    assert implementation is not None  # the plan leaves out what is not written in the framework
    taken = taken_inputs(inputs, whole=workload.inference is None)
    known = {
        "lock": load_lock(how.lock).digest,
        "inputs": taken,
        "files": [file_hash(file) for file in files_of_export(implementation)],
        "weights": {name: file_hash(Path(file)) for name, file in sorted(weights.items())},
    }
    name = sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:32]
    place = cache_dir() / FOLDER / name
    try:
        with alone(place):
            if not place.is_dir():
                write_export(place, implementation, how, {"inputs": taken, "tensors": dict(weights)}, timeout)
    except OSError as error:
        why = f"{error.filename or place} cannot be written: {error.strerror}"
        raise WorkerError(
            FailureKind.ENVIRONMENT, why, "Make room there, or set ROSETTA_CACHE to another folder."
        ) from error
    return ExportedModel(place)


def write_export(
    place: Path, implementation: Path, how: ExportedFrom, request: Mapping[str, Any], timeout: float
) -> None:
    """Let the framework export a model in its environment; the folder is written beside its place and renamed."""
    environment = Environments(cache_dir() / "environments").make(load_lock(how.lock), lambda _: None)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as making:
        folder = Path(making) / "export"
        folder.mkdir()
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        what = f"the operations of {implementation}"
        run_program(PROGRAM, [str(implementation), str(folder)], environment, None, folder, timeout, what)
        answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
        if "error" in answer:
            raise WorkerError(
                FailureKind.UNSUPPORTED, f"{implementation} cannot be exported to ONNX: {answer['error']}"
            )
        folder.rename(place)


def taken_inputs(inputs: Path, *, whole: bool) -> dict[str, Any]:
    """Return shape and type of a sample as a model takes it: bytes as float32.

    Where `whole`, whole numbers are PyTorch's own: its adapter makes them so where a workload trains.
    """
    samples = np.load(inputs, mmap_mode="r", allow_pickle=False)
    kind = "float32" if samples.dtype == np.uint8 else samples.dtype.name
    return {"shape": list(samples.shape[1:]), "dtype": "int64" if whole and samples.dtype.kind == "i" else kind}


def files_of_export(implementation: Path) -> list[Path]:
    """Return the files of ours that decide what is exported."""
    return [
        implementation,
        *sorted(shared_files(implementation)),
        worker_folder() / PROGRAM,
        worker_folder() / "tensors.py",
    ]


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        hashed = sha256()
        while block := file.read(1 << 20):
            hashed.update(block)
    return hashed.hexdigest()


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """Let one process or thread at a time look for an export and make it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f".{place.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def exporter_of(framework: str) -> ExportedFrom | None:
    """Return how a framework's models are exported; None if they are not."""
    ways = (entry.exported for entry in all_frameworks().values() if entry.exported)
    return next((how for how in ways if how.framework == framework), None)


def runner_of(framework: str) -> FrameworkEntry:
    """Return the framework that shows what an exported model computes: the first that runs those of `framework`."""
    able = (entry for entry in all_frameworks().values() if entry.exported and entry.exported.framework == framework)
    return next(able)
