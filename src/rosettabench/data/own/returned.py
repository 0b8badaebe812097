"""Call the user's function in its own process, since it may raise or hang.

    python returned.py FILE FUNCTION FOLDER

writes the returned arrays into FOLDER, one .npy each: train.npy, or train.0.user.npy for the first of several inputs by
name. This file imports nothing but NumPy, so that any interpreter can run it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

NAMES = ("train", "labels", "test", "test_labels")
"""The keys of a returned dictionary, and the order of the arrays in a returned tuple."""

INPUTS = ("train", "test")
"""The keys whose value may be a dictionary: several inputs by name, in its order."""


def call(file: str, function: str, folder: str) -> None:
    """Call the function and write its arrays. Raises any error of the function, and ValueError for a wrong result."""
    sys.path.insert(0, str(Path(file).parent))
    spec = importlib.util.spec_from_file_location("data", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    returned = getattr(module, function)()
    if not isinstance(returned, dict):
        several = isinstance(returned, (tuple, list))
        returned = dict(zip(NAMES, returned if several else (returned,)))  # noqa: B905 (the same)
    unknown = sorted(set(returned) - set(NAMES))
    if unknown or "train" not in returned:
        raise ValueError(f"{function} is to return a dictionary of {', '.join(NAMES)}, and returned {list(returned)}")
    for name, array in files_of(returned).items():
        found = np.asarray(array)
        if found.dtype.kind not in "biuf":
            raise ValueError(f"{function} returned {name} with the type {found.dtype}: not numbers")
        np.save(Path(folder) / f"{name}.npy", found, allow_pickle=False)


def files_of(returned: dict[str, Any]) -> dict[str, Any]:
    """Return {name of a file: array}. Raises ValueError for an input whose name could not be that of an argument."""
    files = {}
    for name, array in returned.items():
        if not isinstance(array, dict) or name not in INPUTS:
            files[name] = array
            continue
        for place, (one, value) in enumerate(array.items()):
            if not one.isidentifier():
                raise ValueError(f"{one!r} cannot be the name of an input: it is not that of an argument")
            files[f"{name}.{place}.{one}"] = value
    return files


if __name__ == "__main__":
    call(*sys.argv[1:])
