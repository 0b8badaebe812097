"""Call the user's function in its own process, since it may raise or hang.

    python returned.py FILE FUNCTION FOLDER

writes the returned arrays into FOLDER, one .npy each. This file imports nothing but NumPy, so that any interpreter can
run it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np

NAMES = ("train", "labels", "test", "test_labels")
"""The keys of a returned dictionary, and the order of the arrays in a returned tuple."""


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
    for name, array in returned.items():
        found = np.asarray(array)
        if found.dtype.kind not in "biuf":
            raise ValueError(f"{function} returned {name} with the type {found.dtype}: not numbers")
        np.save(Path(folder) / f"{name}.npy", found, allow_pickle=False)


if __name__ == "__main__":
    call(*sys.argv[1:])
