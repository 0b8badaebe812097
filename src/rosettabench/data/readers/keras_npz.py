"""Read Keras' imdb.npz: the word ranks of every review, as NumPy object arrays, which are pickles.

Nothing is unpickled; `pickled_lists` explains how.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.pickled_lists import PickleRefused, lists_of_numbers
from rosettabench.data.readers.reviews import Reviews, from_ranks
from rosettabench.errors import DataError

LARGEST = 256 << 20
"""The most bytes of one unpacked array. Keras' arrays have 14 to 18 million."""

HIGHEST = 1_000_000
"""The largest rank that is accepted. Keras' word index has 88,584 words."""


def reviews_of_npz(path: Path, progress: DataProgress) -> dict[str, Reviews]:
    """Return {part: reviews}. Raises DataError if the file is not Keras' archive, or asks to run code."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {part: _reviews(path, archive, part, progress) for part in ("train", "test")}
    except PickleRefused as error:
        raise DataError(f"{path} is refused: {error}.", "Use Keras' own imdb.npz, or the raw reviews.") from error
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, KeyError, ValueError, RuntimeError) as error:
        raise DataError(
            f"{path} is cut off or damaged ({error}): expected x_train, y_train, x_test and y_test.",
            "Fetch imdb.npz again, or remove it so that the reviews are downloaded.",
        ) from error


def _reviews(path: Path, archive: zipfile.ZipFile, part: str, progress: DataProgress) -> Reviews:
    """Return the reviews of one part."""
    progress(f"reading Keras' reviews, {part}")
    for array in ("x", "y"):
        if archive.getinfo(f"{array}_{part}.npy").file_size > LARGEST:
            raise DataError(f"{path} holds {array}_{part}.npy of more than {LARGEST:,} bytes: it is not Keras' file.")
    ranks = _lists(archive, f"x_{part}.npy")
    with archive.open(f"y_{part}.npy") as stream:
        labels = np.lib.format.read_array(stream, allow_pickle=False)
    if labels.shape != (len(ranks),) or labels.dtype.kind not in "iu" or not set(np.unique(labels)) <= {0, 1}:
        raise ValueError(f"y_{part} does not hold a 0 or 1 for each of {len(ranks):,} reviews")
    if any(len(review) and not 0 < review.min() <= review.max() <= HIGHEST for review in ranks):
        raise ValueError(f"x_{part} holds a number that is not a rank")
    return from_ranks(ranks, labels)


def _lists(archive: zipfile.ZipFile, member: str) -> list[NDArray[np.int64]]:
    """Return the lists of the object array in `member`."""
    with archive.open(member) as stream:
        major, _minor = np.lib.format.read_magic(stream)
        read: Any = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
        shape, _fortran, dtype = read(stream)
        if not dtype.hasobject or len(shape) != 1:
            raise ValueError(f"{member} is not an array of lists")
        return lists_of_numbers(stream.read())
