"""Files that a later reader trusts: each is written beside its place and renamed into it.

A full disk, or a killed process, therefore leaves the old file as it was. What is renamed as a whole folder (prepared
data, environments) follows the same rule in its own module.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Read = TypeVar("Read")


def once_per_change(read: Callable[[Path], Read]) -> Callable[[Path], Read]:
    """Wrap a function that reads a file: while the file stays the same, its result is kept.

    A file is the same if its inode, its size and the time of its last change are.
    """
    kept: dict[Path, tuple[tuple[int, int, int], Read]] = {}

    @wraps(read)
    def read_again_if_changed(path: Path) -> Read:
        """Return what `read` returns for the file as it is now."""
        now = path.stat()
        version = (now.st_ino, now.st_size, now.st_mtime_ns)
        if path not in kept or kept[path][0] != version:
            kept[path] = version, read(path)
        return kept[path][1]

    return read_again_if_changed


def replace_file(path: Path, content: bytes) -> None:
    """Write `content` to `path`. The old file stays until all of the new one is on disk.

    Raises OSError with `path` as its file name if that fails; nothing new is left in the folder then.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error  # a failed write names no file
    finally:
        draft.unlink(missing_ok=True)


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Save an array as ``.npy``. Raises OSError with its reason and `path` as its file name if that fails."""
    import numpy as np

    try:
        with path.open("wb") as file:
            np.save(PlainFile(file), np.asanyarray(array), allow_pickle=False)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


class PlainFile:
    """A file of which NumPy only knows how to write to it.

    To a file of Python, NumPy writes through C, and says of a full disk only how many numbers did not fit.
    """

    def __init__(self, file: BinaryIO) -> None:
        """`file` must be open for writing; the caller closes it."""
        self.write = file.write
