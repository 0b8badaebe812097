"""Run the user's function that returns arrays, and explain its failures."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.data_entry import OwnFunction
from rosettabench.data.own import returned
from rosettabench.data.own.packed import ONLY, pack
from rosettabench.errors import DataError

LIMIT_S = 900.0
"""Seconds after which the function is stopped."""

DEFAULT = "load"
"""The default name of the function."""


def function_path(stated: OwnFunction, folder: Path) -> Path:
    """Return the file of the function, beside the workload in `folder`."""
    return folder / stated.function.partition(":")[0]


def call_function(stated: OwnFunction, folder: Path, place: Path, limit_s: float | None = None) -> dict[str, Any]:
    """Return {name: array} from the user's function, as memory-mapped files in `place`.

    Raises DataError if the function raises, with file and line, or has not ended after `limit_s` seconds.
    """
    path = function_path(stated, folder)
    name = stated.function.partition(":")[2] or DEFAULT
    limit_s = LIMIT_S if limit_s is None else limit_s
    command = [stated.python or sys.executable, returned.__file__, str(path), name, str(place)]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=limit_s
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"{path}: {name}() has not returned after {limit_s:g} s", "Does it wait for something?"
        ) from None
    except OSError as error:
        raise DataError(f"{command[0]} does not start: {error.strerror}", "workload.toml names it: python.") from error
    if ended.returncode != 0:
        raise DataError(f"{path}{line_of(path, ended.stderr)}: {name}() failed: {last_line(ended.stderr)}")
    found = {one: read_written(one, place) for one in returned.NAMES}
    if found["test"] and list(found["test"]) != list(found["train"]):
        raise DataError(f"{path}: {name}() returned other inputs for test than for train", "Name the same, in order.")
    return {one: pack(arrays) for one, arrays in found.items() if arrays}


def read_written(array: str, place: Path) -> dict[str, NDArray[Any]]:
    """Return {name of an input: array} of what `returned` has written, in order; empty if it was not returned."""
    only = place / f"{array}.npy"
    if only.is_file():
        return {ONLY: load_array(only)}
    files = sorted(place.glob(f"{array}.*.npy"), key=lambda file: int(file.name.split(".")[1]))
    return {file.name.split(".")[2]: load_array(file) for file in files}


def load_array(file: Path) -> NDArray[Any]:
    """Return a written array, memory-mapped."""
    array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    return array


def last_line(said: str) -> str:
    """Return the last line of a program's output that is not blank."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def line_of(path: Path, said: str) -> str:
    """Return the last line of `path` that a traceback names, as ``, line 7``; "" if it names none."""
    lines = re.findall(rf'File "{re.escape(str(path))}", line (\d+)', said)
    return f", line {lines[-1]}" if lines else ""
