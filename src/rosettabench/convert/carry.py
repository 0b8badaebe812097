"""Tensors carried through an implementation's ties, which the framework's own environment evaluates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.workload import Workload
from rosettabench.client.program import run_program
from rosettabench.convert.fit import Shape, check_tensors, narrow_tensors, passed_over
from rosettabench.data.readers.weights_file import Tensors
from rosettabench.environments.environment import Environment
from rosettabench.errors import ProofError, UsageError
from rosettabench.files import save_array
from rosettabench.plan.plan import why_missing

PROGRAM = "carry.py"
"""The file of the worker's package that does it."""

Direction = Literal["to_canonical", "to_own"]


@dataclass(frozen=True)
class TiedCell:
    """A workload in a framework: the file with its ties, and the environment that evaluates them."""

    workload: Workload
    contender: Contender
    environment: Environment

    @property
    def entry(self) -> FrameworkEntry:
        """The catalogue's entry of the framework."""
        return self.contender.entry

    @property
    def label(self) -> str:
        """The framework as the user names it."""
        return self.contender.label

    @property
    def words(self) -> str:
        """The workload and the framework, in words."""
        return f"{self.workload.name} in {self.label}"

    @property
    def implementation(self) -> Path:
        """The file with the ties."""
        path = self.entry.file_of(self.workload, self.environment.release)
        assert path is not None  # check_tied
        return path


@dataclass(frozen=True)
class CarriedTensors:
    """What the ties say: the framework's names and shapes, what its model holds besides, and the tensors they make.

    `same` maps second names of tensors to the first: tied weights have both in a state_dict. `tensors` is None where
    the given ones do not fit the layout; `changed` names those that would not come back as they were.
    """

    layout: dict[str, Shape]
    beside: Tensors
    same: dict[str, str]
    tensors: Tensors | None
    changed: list[str]


def check_tied(workload: Workload, contender: Contender) -> None:
    """Raise UsageError where a workload is not written in a framework, or its ties cannot be evaluated."""
    if contender.entry.exported is not None:
        raise UsageError(
            f"{contender.label} has no weights of its own: it runs what is exported",
            "rosetta export --help says how a model and its weights become a file of ONNX.",
        )
    why = why_missing(workload, contender)
    if why:
        raise UsageError(why, f"rosetta show {workload.name} shows what there is.")
    if contender.entry.program is not None:
        raise UsageError(
            f"the ties of {workload.name} in {contender.label} are written in R, and convert evaluates Python alone",
            "Name another framework.",
        )


def read_canonical(
    cell: TiedCell, path: Path, given: Tensors, folder: Path, timeout: float
) -> tuple[Tensors, list[str]]:
    """Return the canonical tensors for a framework's own, read from `path`, and the names of those passed over.

    Raises DataError where they are not what the framework has, and ProofError where the ties lose something.
    """
    carried = run_ties(cell, "to_canonical", narrow_tensors(given), folder / "given", timeout)
    known = {other: given[name] for name, other in carried.same.items() if name in given and other not in given}
    if known:  # a file may have a tied weight once, by its second name
        given = given | known
        carried = run_ties(cell, "to_canonical", narrow_tensors(given), folder / "whole", timeout)
    twice = {name: given[other] for name, other in carried.same.items() if other in given}
    check_tensors(path, given, carried.layout, carried.beside | twice, cell.words)
    return checked_tensors(cell, carried), passed_over(given, carried.layout)


def write_own(cell: TiedCell, canonical: Tensors, folder: Path, timeout: float) -> Tensors:
    """Return a framework's own tensors for canonical ones, with what its model holds besides.

    Raises ProofError where the ties lose something.
    """
    carried = run_ties(cell, "to_own", canonical, folder, timeout)
    own = checked_tensors(cell, carried)
    return {**carried.beside, **own, **{name: own[other] for name, other in carried.same.items()}}


def checked_tensors(cell: TiedCell, carried: CarriedTensors) -> Tensors:
    """Return what was carried. Raises ProofError where the ties do not lead back to the same numbers."""
    if carried.tensors is None or carried.changed:
        named = f": {', '.join(carried.changed[:3])}" if carried.changed else ""
        raise ProofError(f"the ties of {cell.words} do not lead back to the same numbers{named}", "This is a defect.")
    return carried.tensors


def run_ties(cell: TiedCell, direction: Direction, tensors: Tensors, folder: Path, timeout: float) -> CarriedTensors:
    """Evaluate the ties of a cell in its environment; the files lie in `folder`.

    Raises WorkerError where that fails.
    """
    folder.mkdir(parents=True)
    files = {name: f"given-{number}.npy" for number, name in enumerate(sorted(tensors))}
    for name, file in files.items():
        save_array(folder / file, tensors[name])
    shapes = {tensor.name: tensor.shape for tensor in cell.workload.tensors}
    (folder / "request.json").write_text(json.dumps({"shapes": shapes, "tensors": files}), encoding="utf-8")
    words = [str(cell.entry.adapter), str(cell.implementation), direction, str(folder)]
    what = f"the ties of {cell.words}"
    run_program(PROGRAM, words, cell.environment, cell.entry.backend, folder, timeout, what)
    answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    layout = {name: tuple(shape) for name, shape in answer["layout"].items()}
    made = None if answer["tensors"] is None else load_arrays(folder, answer["tensors"])
    return CarriedTensors(layout, load_arrays(folder, answer["beside"]), answer["same"], made, answer["changed"])


def load_arrays(folder: Path, files: dict[str, str]) -> Tensors:
    """Return {name: array} for {name: file}."""
    loaded: dict[str, Any] = {name: np.load(folder / file, allow_pickle=False) for name, file in files.items()}
    return loaded
