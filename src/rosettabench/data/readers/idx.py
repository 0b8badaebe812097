"""Read the idx format of the MNIST family: a magic number, the lengths of the axes, and unsigned bytes.

Format: http://yann.lecun.com/exdb/mnist/, section "the IDX file format". All numbers are big-endian.
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import DataError

UNSIGNED_BYTE = 0x08
"""The third byte of the magic number, for the type of the elements."""

GZIP = b"\x1f\x8b"


def read_idx(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the array of the idx file at `path`, with or without gzip. It must have `shape`.

    Raises DataError if the file is truncated, damaged, or of another type or shape.
    """
    hint = "Fetch the file again, or remove it so that it is downloaded."
    try:
        with _open(path) as stream:
            _check_header(path, stream, shape)
            # Read one byte more than needed, to detect bytes after the last element.
            body = stream.read(math.prod(shape) + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is cut off or damaged ({error}): expected {_words(shape)} bytes.", hint) from error
    if len(body) != math.prod(shape):
        found = "more" if len(body) > math.prod(shape) else f"only {len(body):,}"
        raise DataError(f"{path} holds {found}, where {_words(shape)} bytes were expected.", hint)
    return np.frombuffer(body, np.uint8).reshape(shape)


def _open(path: Path) -> IO[bytes]:
    """Open `path`, and unpack it if its first bytes are those of gzip. Browsers unpack a file and keep its name."""
    with path.open("rb") as stream:
        packed = stream.read(2) == GZIP
    return gzip.open(path, "rb") if packed else path.open("rb")  # type: ignore[return-value]


def _check_header(path: Path, stream: IO[bytes], shape: tuple[int, ...]) -> None:
    """Read the header from `stream`. Raises DataError unless it announces unsigned bytes of `shape`."""
    hint = "Is it the right file, and whole?"
    magic = bytes([0, 0, UNSIGNED_BYTE, len(shape)])
    found = stream.read(4)
    if found != magic:
        raise DataError(f"{path} begins with {found.hex()!r}, not with {magic.hex()!r}, idx's magic number.", hint)
    lengths = stream.read(4 * len(shape))
    if len(lengths) != 4 * len(shape):
        raise DataError(f"{path} is cut off within its header.", hint)
    announced = struct.unpack(f">{len(shape)}I", lengths)
    if announced != shape:
        raise DataError(f"{path} announces {_words(announced)} bytes, where {_words(shape)} were expected.", hint)


def _words(shape: tuple[int, ...]) -> str:
    """Return a shape in words: 60,000 × 28 × 28."""
    return " × ".join(f"{length:,}" for length in shape)
