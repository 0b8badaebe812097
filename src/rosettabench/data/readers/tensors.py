"""Files of named tensors: safetensors, which holds numbers and nothing that could be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rosettabench.errors import DataError


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return {name: array} of a .safetensors file. Raises DataError where it cannot be read, or is another file."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if path.suffix != ".safetensors":
        raise DataError(f"{path} is no .safetensors file", "Save the weights as one: safetensors.torch.save_file.")
    try:
        return load_file(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    except (SafetensorError, TypeError, ValueError, KeyError) as error:
        raise DataError(f"{path} is not a .safetensors file: {error}") from error
