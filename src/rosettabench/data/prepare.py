"""A data set in the form of a workload: prepared once, then reused from the cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosettabench.catalogue.data_entry import OWN
from rosettabench.catalogue.workload import Workload
from rosettabench.data import shelf
from rosettabench.data.choice import DataChoice
from rosettabench.data.data_set import DataSet, PictureSet
from rosettabench.data.find import Found, find
from rosettabench.data.identity import identity
from rosettabench.data.obstacle import explain_obstacle
from rosettabench.data.own.prepare_own import prepare_own
from rosettabench.data.prepared import Prepared, parts
from rosettabench.data.progress import DataProgress, silent
from rosettabench.data.readers.pictures import Pictures
from rosettabench.data.registry import data_set as data_set_called
from rosettabench.data.series.monash_windows import MonashWindows
from rosettabench.data.series.prepare_windows import prepare_windows
from rosettabench.errors import UsageError

__all__ = ["DataProgress", "prepare", "prepare_data", "silent"]


def prepare(
    name: str,
    form: Mapping[str, Any],
    *,
    data_dir: Path | None,
    cache: Path,
    offline: bool = False,
    asked: str = DataChoice.FOUND,
    progress: DataProgress = silent,
    pictures: bool = False,
) -> Prepared:
    """Return the data set `name` in `form`, as a workload's ``[data]`` table states both.

    `data_dir` is the user's folder with originals, directly or in a subfolder `name`; nothing is ever written there.
    `cache` keeps downloads and prepared arrays. `offline` downloads nothing, but uses earlier downloads. `asked` is a
    value of the axis `data`: ``real`` refuses a stand-in, ``synthetic`` always takes it. `pictures` asks for the image
    files of the training part, too.

    Raises UsageError for an unknown data set, an unsupported form, or a data set without the picture files asked for.
    Raises DataError if a file differs from the published one, a folder cannot be read or written, or originals are
    asked for and missing. A stand-in never hides such an error.
    """
    data_set = data_set_called(name)
    if isinstance(data_set, MonashWindows):
        return prepare_windows(
            data_set, form, data_dir=data_dir, cache=cache, offline=offline, asked=asked, progress=progress
        )
    data_set.check(form)
    try:
        found = find(data_set, data_dir, cache, offline, progress, asked)
        files = _pictures(data_set, form, found) if pictures else None
        return replace(_prepare(data_set, form, found, cache, progress), pictures=files)
    except OSError as error:
        raise explain_obstacle(error, data_set, cache) from error


def prepare_data(
    workload: Workload,
    *,
    data_dir: Path | None,
    cache: Path,
    offline: bool = False,
    asked: str = DataChoice.FOUND,
    progress: DataProgress = silent,
    pictures: bool = False,
) -> Prepared:
    """Return the data of a workload: its data set, or the user's own. The arguments are those of `prepare`.

    Raises the errors of `prepare` and `prepare_own`.
    """
    entry = workload.data
    if entry.set == OWN:
        return prepare_own(entry.form, workload.folder, cache, progress)
    return prepare(
        entry.set,
        entry.form,
        data_dir=data_dir,
        cache=cache,
        offline=offline,
        asked=asked,
        progress=progress,
        pictures=pictures,
    )


def _prepare(data_set: DataSet, form: Mapping[str, Any], found: Found, cache: Path, progress: DataProgress) -> Prepared:
    """Return the data set from the shelf, after preparing it if necessary."""
    recipe = {"set": data_set.name, "form": dict(form), "version": data_set.version}
    made_of = {"recipe": recipe, "source": identity(found.source)}
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]
    folder = cache / "prepared" / f"{data_set.name}-{key}"

    def put() -> shelf.Manifest:
        """Read the originals, or make the stand-in, and store the arrays."""
        read = data_set.read(found.source, form, progress) if found.source else data_set.stand_in(form)
        return shelf.put(folder, recipe, read, progress)

    manifest = shelf.obtain(folder, data_set.title, put, progress)
    train, test = parts(folder, manifest.samples)
    return Prepared(data_set.name, found.origin, found.note, manifest.digest, folder, train, test)


def _pictures(data_set: DataSet, form: Mapping[str, Any], found: Found) -> Pictures:
    """Return the picture files of the training part. Their folder may have moved, so they are looked for again."""
    if not isinstance(data_set, PictureSet):
        raise UsageError(f"{data_set.title} has no picture files.", "Leave out --set input=files.")
    if found.source is None:
        raise UsageError(
            f"There are no picture files of {data_set.title} here: {found.note}",
            "Name the folder of the originals with --data-dir, or leave out --set input=files.",
        )
    return Pictures.of(data_set.picture_files(found.source), form["shape"][-1], data_set.rendering)
