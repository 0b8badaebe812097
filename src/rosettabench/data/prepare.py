"""A data set in the form that a workload asks for: prepared once, found again ever after."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosettabench.data import shelf
from rosettabench.data.choice import FOUND
from rosettabench.data.data_set import DataSet, PictureSet, Source
from rosettabench.data.find import Found, find
from rosettabench.data.lock import locked
from rosettabench.data.pictures import Pictures
from rosettabench.data.prepared import Part, Prepared
from rosettabench.data.progress import Progress, silent
from rosettabench.data.registry import data_set as data_set_called
from rosettabench.errors import DataError, UsageError

__all__ = ["Progress", "prepare", "silent"]


def prepare(
    name: str,
    form: Mapping[str, Any],
    *,
    data_dir: Path | None,
    cache: Path,
    offline: bool = False,
    asked: str = FOUND,
    progress: Progress = silent,
    pictures: bool = False,
) -> Prepared:
    """Return the data set `name` in `form`, as a workload's ``[data]`` table states both.

    `data_dir` is the user's folder with originals, directly or in a subfolder `name`; nothing is ever written there.
    `cache` keeps downloads and prepared arrays. `offline` downloads nothing, but uses what was downloaded earlier.
    `asked` is a value of the axis `data`: ``real`` takes no stand-in, ``synthetic`` looks for nothing else. `pictures`
    asks for the picture files of the training part, too.

    Raises UsageError where there is no such data set, or not in this form, or without the files that are asked for, and
    DataError where a file is not what was published, a folder cannot be read or written, or what is asked for cannot be
    had: a stand-in never hides it.
    """
    data_set = data_set_called(name)
    data_set.check(form)
    try:
        found = find(data_set, data_dir, cache, offline, progress, asked)
        files = _pictures(data_set, form, found) if pictures else None
        return replace(_prepared(data_set, form, found, cache, progress), pictures=files)
    except OSError as error:
        raise _explained(error, data_set, cache) from error


def _prepared(data_set: DataSet, form: Mapping[str, Any], found: Found, cache: Path, progress: Progress) -> Prepared:
    """Take the data set from the shelf, or put it there first."""
    recipe = {"set": data_set.name, "form": dict(form), "version": data_set.version}
    made_of = {"recipe": recipe, "source": _identity(found.source)}
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]
    folder = cache / "prepared" / f"{data_set.name}-{key}"
    manifest = shelf.look_up(folder)
    if manifest is None:
        waiting = f"waiting for another run that prepares {data_set.title}"
        with locked(folder.with_name(f"{folder.name}.lock"), waiting, progress):
            read = data_set.read(found.source, form, progress) if found.source else data_set.stand_in(form)
            manifest = shelf.look_up(folder) or shelf.put(folder, recipe, read, progress)
    train, test = (
        Part(folder / f"{part}_inputs.npy", folder / f"{part}_labels.npy", manifest.samples[part])
        for part in ("train", "test")
    )
    return Prepared(data_set.name, found.origin, found.note, manifest.digest, folder, train, test)


def _pictures(data_set: DataSet, form: Mapping[str, Any], found: Found) -> Pictures:
    """Return the picture files of the training part. They are looked for anew, as their folder may have been moved."""
    if not isinstance(data_set, PictureSet):
        raise UsageError(f"{data_set.title} has no picture files.", "Leave out --set input=files.")
    if found.source is None:
        raise UsageError(
            f"There are no picture files of {data_set.title} here: {found.note}",
            "Name the folder of the originals with --data-dir, or leave out --set input=files.",
        )
    return Pictures.of(data_set.picture_files(found.source), form["shape"][-1], data_set.rendering)


def _identity(source: Source | None) -> dict[str, Any]:
    """Return what tells these originals from others: the content of files, names, sizes and times of folders.

    Folders are those of unpacked reviews: to read 50,000 files at every start would take longer than it is worth.
    """
    if source is None:
        return {"stand-in": True}
    return {word: _folder_state(path) if path.is_dir() else _sha256(path) for word, path in source.paths.items()}


def _sha256(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder_state(folder: Path) -> str:
    """Return the sha256 of the names, sizes and times of change of all files below `folder`."""
    states = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        states.update(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return states.hexdigest()


def _explained(error: OSError, data_set: DataSet, cache: Path) -> DataError:
    """Return what the operating system refused, and what to do about it."""
    place = error.filename or cache
    why = error.strerror or str(error)
    return DataError(
        f"{data_set.title} could not be prepared: {place}: {why}.",
        f"Make room and give yourself access there, or choose another cache folder than {cache}.",
    )
