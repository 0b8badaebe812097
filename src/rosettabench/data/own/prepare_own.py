"""The user's own data as arrays for workers: prepared once, and reused until a source changes."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.data_entry import OWN, OwnArrays, OwnDrawn, OwnFunction, own_form
from rosettabench.data import shelf
from rosettabench.data.data_set import Portion
from rosettabench.data.origin import Origin
from rosettabench.data.own.array_file import array_path, read_array_file
from rosettabench.data.own.drawn import draw_arrays
from rosettabench.data.own.function import call_function, function_path
from rosettabench.data.own.packed import ONLY, pack
from rosettabench.data.prepared import Prepared, parts
from rosettabench.data.progress import DataProgress
from rosettabench.errors import DataError

VERSION = 1
"""The version of the preparation: increased when the same files give other numbers."""

TEST_SHARE = 10
"""Without a test part, the last 1/TEST_SHARE of the samples is the test part."""

Arrays = Mapping[str, NDArray[Any]]


def prepare_own(form: Mapping[str, Any], folder: Path, cache: Path, progress: DataProgress) -> Prepared:
    """Return the user's own data of a workload in `folder`, prepared for workers.

    Raises DataError if a file cannot be read, a function fails, or arrays do not fit each other.
    """
    stated = own_form(dict(form))
    recipe = {"set": OWN, "form": dict(form), "version": VERSION}
    made_of = {"recipe": recipe, "folder": str(folder), "source": source_digests(stated, folder)}
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]
    place = cache / "prepared" / f"{OWN}-{key}"

    def put() -> shelf.Manifest:
        """Read, call or draw the arrays, and store them."""
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            arrays = obtain_arrays(stated, folder, Path(scratch), progress)
            return shelf.put(place, recipe, portions(arrays, folder), progress)

    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        manifest = shelf.obtain(place, f"the data of {folder.name}", put, progress)
    except OSError as error:
        raise DataError(f"{place.parent} cannot be written: {error.strerror}", "Make room there.") from error
    train, test = parts(place, manifest.samples)
    return Prepared(OWN, origin_of(stated), note_of(stated, folder), manifest.digest, place, train, test)


def source_digests(stated: OwnArrays | OwnFunction | OwnDrawn, folder: Path) -> dict[str, str]:
    """Return {file: sha256} of the data's sources; empty for drawn data. Raises DataError for an unreadable file."""
    if isinstance(stated, OwnDrawn):
        return {}
    if isinstance(stated, OwnFunction):
        files = {function_path(stated, folder)}
    else:
        files = {array_path(name, folder) for names in stated_files(stated).values() for name in names.values()}
    try:
        return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)}
    except OSError as error:
        raise DataError(
            f"{error.filename} cannot be read: {error.strerror}", f"{folder / 'workload.toml'} names it under [data]."
        ) from error


def obtain_arrays(
    stated: OwnArrays | OwnFunction | OwnDrawn, folder: Path, scratch: Path, progress: DataProgress
) -> Arrays:
    """Return {train, labels, test, test_labels: array}, as far as stated."""
    if isinstance(stated, OwnDrawn):
        return draw_arrays(stated)
    if isinstance(stated, OwnFunction):
        progress(f"calling {stated.function}")
        return call_function(stated, folder, scratch)
    return {
        array: pack({name: read_array_file(file, folder) for name, file in files.items()})
        for array, files in stated_files(stated).items()
    }


def stated_files(stated: OwnArrays) -> dict[str, dict[str, str]]:
    """Return {array: {name of an input: its file}}, as far as stated; the name of an only input is `ONLY`."""
    files = stated.model_dump(exclude_none=True)
    return {array: {ONLY: named} if isinstance(named, str) else named for array, named in files.items()}


def portions(arrays: Arrays, folder: Path) -> Iterator[Portion]:
    """Yield both parts in the dtypes that workers read. Raises DataError for empty or mismatched arrays."""
    train = arrays["train"]
    labels = arrays.get("labels", train)
    check_lengths("labels", labels, "train", train, folder)
    if "test" in arrays:
        test = arrays["test"]
        test_labels = arrays.get("test_labels", test)
        check_lengths("test_labels", test_labels, "test", test, folder)
    else:
        last = max(1, len(train) // TEST_SHARE)
        train, test = train[:-last], train[-last:]
        labels, test_labels = labels[:-last], labels[-last:]
    for part, inputs, own in (("train", train, labels), ("test", test, test_labels)):
        if not len(inputs):
            raise DataError(f"{folder}: the {part} part has no samples", "State more of them under [data].")
        yield Portion(part, as_read(inputs, folder), as_read(own, folder))


def check_lengths(name: str, array: NDArray[Any], of: str, other: NDArray[Any], folder: Path) -> None:
    """Raise DataError if two arrays differ in their number of samples."""
    if array.ndim == 0 or other.ndim == 0 or len(array) != len(other):
        raise DataError(
            f"{folder}: {name} has the shape {array.shape}, and {of} {other.shape}: not one for each sample",
            "The first extent counts the samples.",
        )


def as_read(array: NDArray[Any], folder: Path) -> NDArray[Any]:
    """Return whole numbers as int32, others as float32. Raises DataError for too large or infinite numbers, and NaN."""
    if array.dtype.kind in "bui":
        if array.size and (array.max() > np.iinfo(np.int32).max or array.min() < np.iinfo(np.int32).min):
            raise DataError(f"{folder}: a whole number of its data does not fit into 32 bits")
        return np.asarray(array, np.int32)
    if not np.isfinite(array).all():
        raise DataError(f"{folder}: its data hold numbers that are not finite")
    return np.asarray(array, np.float32)


def origin_of(stated: OwnArrays | OwnFunction | OwnDrawn) -> Origin:
    """Return the origin in the sense of `Prepared`."""
    return Origin.DRAWN if isinstance(stated, OwnDrawn) else Origin.ORIGINAL


def note_of(stated: OwnArrays | OwnFunction | OwnDrawn, folder: Path) -> str:
    """Return the sentence on the origin of the data."""
    if isinstance(stated, OwnDrawn):
        return f"Drawn at random, as {folder.name} states: nothing can be learned from them."
    if isinstance(stated, OwnFunction):
        return f"What {stated.function} of {folder} returned."
    files = [stated.train] if isinstance(stated.train, str) else stated.train.values()
    return f"{', '.join(files)} of {folder}."
