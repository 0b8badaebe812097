"""A PyTorch model as a program in PyTorch's environment describes it: tensors, inputs, outputs, first values."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import prod
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

INPUTS = re.compile(r"((?P<name>[^\W\d]\w*)=)?(?P<kind>int|float)\[(?P<shape>[\d, ]*)\](<(?P<below>\d+))?")
"""How an input of a sample is written: ``float[3,32,32]``, ``int[64]<65``, ``user=int[]<50``."""

ANY = ""
"""The name of an input that is stated without one: it stands for every argument that is not named."""


@dataclass(frozen=True)
class ModelTensor:
    """A tensor of a model: its `layer` is the class of the module that holds it, `constant` the one value it has."""

    name: str
    shape: tuple[int, ...]
    trained: bool
    layer: str
    constant: float | None


@dataclass(frozen=True)
class Input:
    """An input of a sample: real numbers of a shape, or whole ones from 0 to `below`, that not included."""

    shape: tuple[int, ...]
    below: int | None = None

    @property
    def columns(self) -> int:
        """How many columns it takes where several inputs are packed into one array."""
        return prod(self.shape)


Inputs = Mapping[str, Input]
"""The inputs of a sample by the names of the model's arguments, in their order."""


@dataclass(frozen=True)
class Description:
    """A model: its tensors, the inputs and the output of a sample, and its first values."""

    tensors: tuple[ModelTensor, ...]
    inputs: Inputs
    output: tuple[int, ...]
    values: dict[str, NDArray[np.float32]]


def read_inputs(words: Iterable[str]) -> Inputs:
    """Read inputs such as ``float[3,32,32]`` or ``user=int[]<50``. UsageError for another form, or a name twice."""
    inputs: dict[str, Input] = {}
    for word in words:
        found = INPUTS.fullmatch(word.replace(" ", ""))
        if found is None or (found["kind"] == "int") != (found["below"] is not None):
            raise UsageError(
                f"{word!r} says no inputs of a sample",
                "Write --inputs 'float[3,32,32]', or 'int[64]<65' for ids below 65; of several, 'user=int[]<50'.",
            )
        name = found["name"] or ANY
        if name in inputs:
            raise UsageError(f"--inputs states {name or 'an input without a name'} twice", "State each input once.")
        shape = tuple(int(extent) for extent in found["shape"].split(",") if extent)
        inputs[name] = Input(shape, int(found["below"]) if found["below"] else None)
    return inputs


def describe_model(file: Path, name: str, environment: Environment, inputs: Inputs | None = None) -> Description:
    """Return what the class `name` of a file consists of. Raises UsageError, with file and line, where it cannot be."""
    if not file.is_file():
        raise UsageError(f"{file} is not there", "Name a file with a torch.nn.Module: --from my_model.py:GPT")
    stated = json.dumps({name: asdict(one) for name, one in inputs.items()} if inputs else None)
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
    inputs = {name: Input(tuple(one["shape"]), one.get("below")) for name, one in found["inputs"].items()}
    return Description(tensors, inputs, tuple(found["output"]), values)
