"""The user's own array files: .npy, or one array of an .npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import DataError

BEGINNINGS = (b"\x93NUMPY", b"PK")
"""The first bytes of .npy and .npz files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html."""


def array_path(name: str, folder: Path) -> Path:
    """Return the file of a name, ``x.npy`` or ``pairs.npz:x``, beside the workload in `folder`."""
    file, _, _ = name.partition(".npz:")
    return folder / (name if file == name else f"{file}.npz")


def read_array_file(name: str, folder: Path) -> NDArray[Any]:
    """Return the array of a name. Raises DataError if there is none, or it does not hold numbers.

    Nothing is unpickled: an array of Python objects is refused.
    """
    path, key = array_path(name, folder), name.partition(".npz:")[2]
    try:
        check_kind(path)
        found = np.load(path, allow_pickle=False)
        array = found[key] if key else found
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}", "workload.toml names it.") from error
    except KeyError:
        raise DataError(f"{path} has no array {key}", f"It has: {', '.join(found.files)}.") from None
    except (ValueError, BadZipFile, EOFError) as error:
        pickled = "pickle" in str(error)
        why = "holds objects of Python, which are never unpickled" if pickled else f"cannot be read: {error}"
        raise DataError(f"{path} {why}", "Save it with numpy.save, as an array of numbers.") from error
    if not isinstance(array, np.ndarray):
        raise DataError(f"{path} holds several arrays", f"Name one: {name}:{found.files[0] if found.files else 'x'}")
    return array


def check_kind(path: Path) -> None:
    """Raise DataError if a file begins like neither .npy nor .npz; OSError if it cannot be read."""
    with path.open("rb") as file:
        if not file.read(6).startswith(BEGINNINGS):
            raise DataError(f"{path} is not a file of arrays", "Save it with numpy.save, or numpy.savez.")
