"""Files of weights: ``.safetensors`` and NumPy's ``.npz``. Nothing is ever unpickled."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import DataError, UsageError

Tensors = dict[str, NDArray[Any]]
"""{the framework's name of a tensor: array}."""

SAFETENSORS, NPZ = ".safetensors", ".npz"

PICKLES = (".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth")
"""Suffixes of files that are, or may be, pickles."""

PICKLED = "is a pickle, which can run code; save it as .safetensors"

HOW = "In PyTorch: safetensors.torch.save_file(model.state_dict(), 'model.safetensors')"
"""How to save a file that can be read here."""

DTYPES = {
    "BOOL": "?", "F16": "<f2", "F32": "<f4", "F64": "<f8",
    "I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "<u1", "U16": "<u2", "U32": "<u4", "U64": "<u8",
}  # fmt: skip
"""{dtype in safetensors: dtype in NumPy}. NumPy lacks BF16, which is read as float32 without loss."""

PLAIN_DATE = (1980, 1, 1, 0, 0, 0)
"""The fixed date of every member of an .npz file, so that the same weights give the same file."""


def check_ending(path: Path) -> None:
    """Raise UsageError if a file does not have the suffix of a supported file of weights."""
    if path.suffix in PICKLES:
        raise UsageError(f"{path} {PICKLED}", HOW)
    if path.suffix not in (SAFETENSORS, NPZ):
        raise UsageError(f"{path} is no file of weights that is known here", "Name a file .safetensors or .npz.")


def check_place(path: Path) -> None:
    """Raise UsageError if a file cannot be written: it is a folder, or its folder is missing or not writable."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {folder}", f"Make it: mkdir -p {folder}")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} cannot be written: it is not a file", "Name a file.")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path} cannot be written: {folder} is read-only", "Name another folder.")


def read_weights(path: Path) -> Tensors:
    """Return the tensors of a file. Raises DataError, with the path, if it cannot be read or is damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", "Name a file of weights.") from error
    read = read_safetensors if path.suffix == SAFETENSORS else read_npz
    tensors = read(content, path)
    if not tensors:
        raise DataError(f"{path} holds no tensors", "Save the model's weights again.")
    return tensors


def read_safetensors(content: bytes, path: Path) -> Tensors:
    """Return the tensors of a .safetensors file."""
    from safetensors import SafetensorError, deserialize

    try:
        parts = deserialize(content)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise explain_damage(content, path, str(error)) from error
    return {name: read_part(name, part, path) for name, part in parts}


def read_part(name: str, part: Mapping[str, Any], path: Path) -> NDArray[Any]:
    """Return one tensor of a .safetensors file."""
    kind, shape, data = part["dtype"], part["shape"], bytes(part["data"])
    if kind == "BF16":
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    if kind not in DTYPES:
        raise DataError(f"{name} in {path} is {kind}, which is not read here", "Save it as float32.")
    return np.frombuffer(data, DTYPES[kind]).reshape(shape)


def read_npz(content: bytes, path: Path) -> Tensors:
    """Return the arrays of an .npz file."""
    if not content.startswith(b"PK"):  # NumPy would call it a pickle, which may be wrong
        raise explain_damage(content, path, "it is no .npz file")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            tensors = {name: arrays[name] for name in arrays.files}
    except (ValueError, EOFError, OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        if "allow_pickle" in str(error):  # an array of Python objects
            raise DataError(f"{path} {PICKLED}", "Save arrays of numbers alone.") from error
        raise explain_damage(content, path, str(error)) from error
    strange = [name for name, array in tensors.items() if not isinstance(array, np.ndarray)]
    if strange:
        raise explain_damage(content, path, f"{strange[0]} in it is no array")
    return tensors


def explain_damage(content: bytes, path: Path, why: str) -> DataError:
    """Return the error for an unreadable file: a pickle, plain or packed by torch.save, or a damaged file."""
    plain = content.startswith(b"\x80") and content[8:9] != b"{"  # in safetensors, JSON follows the first 8 bytes
    if plain or (content.startswith(b"PK") and b"/data.pkl" in content):
        return DataError(f"{path} {PICKLED}", HOW)
    return DataError(f"{path} is cut off or damaged: {why}", "Save or copy it again.")


def encode_weights(tensors: Mapping[str, NDArray[Any]], path: Path) -> bytes:
    """Return the content of a file of weights, in the format of the suffix of `path`."""
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    if path.suffix == SAFETENSORS:
        from safetensors.numpy import save

        return save(arrays)
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            for name, array in arrays.items():
                with archive.open(zipfile.ZipInfo(f"{name}.npy", PLAIN_DATE), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
        return file.getvalue()


def decode_weights(content: bytes, path: Path) -> Tensors:
    """Return the tensors from the output of `encode_weights`."""
    return (read_safetensors if path.suffix == SAFETENSORS else read_npz)(content, path)
