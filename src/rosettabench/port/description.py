"""A PyTorch model as a program in PyTorch's environment describes it: tensors, inputs, outputs, first values."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.roots import worker_folder
from rosettabench.environments.environment import Environment
from rosettabench.environments.probe import start
from rosettabench.errors import UsageError

LIMIT_S = 300
"""Seconds allowed to import, make and call the model once."""

INPUTS = re.compile(r"(?P<kind>int|float)\[(?P<shape>[\d, ]*)\](<(?P<below>\d+))?")
"""How inputs of a sample are written: ``float[3,32,32]``, ``int[64]<65``."""


@dataclass(frozen=True)
class ModelTensor:
    """A tensor of a model: its `layer` is the class of the module that holds it, `constant` the one value it has."""

    name: str
    shape: tuple[int, ...]
    trained: bool
    layer: str
    constant: float | None


@dataclass(frozen=True)
class Inputs:
    """The inputs of a sample: real numbers of a shape, or whole ones from 0 to `below`, that not included."""

    shape: tuple[int, ...]
    below: int | None = None


@dataclass(frozen=True)
class Description:
    """A model: its tensors, the inputs and the output of a sample, and its first values."""

    tensors: tuple[ModelTensor, ...]
    arguments: tuple[str, ...]
    inputs: Inputs
    output: tuple[int, ...]
    values: dict[str, NDArray[np.float32]]


def read_inputs(word: str) -> Inputs:
    """Read ``float[3,32,32]`` or ``int[64]<65``. Raises UsageError where it is neither."""
    found = INPUTS.fullmatch(word.replace(" ", ""))
    if found is None or (found["kind"] == "int") != (found["below"] is not None):
        raise UsageError(
            f"{word!r} says no inputs of a sample", "Write --inputs 'float[3,32,32]', or 'int[64]<65' for ids below 65."
        )
    shape = tuple(int(extent) for extent in found["shape"].split(",") if extent)
    return Inputs(shape, int(found["below"]) if found["below"] else None)


def describe_model(file: Path, name: str, environment: Environment, inputs: Inputs | None = None) -> Description:
    """Return what the class `name` of a file consists of. Raises UsageError, with file and line, where it cannot be."""
    if not file.is_file():
        raise UsageError(f"{file} is not there", "Name a file with a torch.nn.Module: --from my_model.py:GPT")
    stated = "null" if inputs is None else json.dumps({"shape": inputs.shape, "below": inputs.below})
    with tempfile.TemporaryDirectory() as place:
        program = str(worker_folder() / "describe.py")
        start(environment.python, [program, str(file.resolve()), name, place, stated], LIMIT_S)
        found = json.loads((Path(place) / "model.json").read_text(encoding="utf-8"))
        if "error" in found:
            raise UsageError(found["error"], "rosetta new --help")
        values = {path.stem: np.load(path, allow_pickle=False) for path in sorted(Path(place).glob("*.npy"))}
    return read_description(found, values)


def read_description(found: dict[str, Any], values: dict[str, NDArray[np.float32]]) -> Description:
    """Return a description as ``rosetta_worker/describe.py`` writes it."""
    tensors = tuple(ModelTensor(**{**one, "shape": tuple(one["shape"])}) for one in found["tensors"])
    inputs = Inputs(tuple(found["inputs"]["shape"]), found["inputs"].get("below"))
    return Description(tensors, tuple(found["arguments"]), inputs, tuple(found["output"]), values)
