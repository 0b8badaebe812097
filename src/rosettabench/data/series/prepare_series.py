"""A set of time series from the Monash archive: prepared once, then reused from the cache."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from rosettabench.data import shelf
from rosettabench.data.choice import DataChoice
from rosettabench.data.find import Found, find
from rosettabench.data.identity import identity
from rosettabench.data.obstacle import explain_obstacle
from rosettabench.data.origin import Origin
from rosettabench.data.progress import DataProgress, silent
from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.monash import MonashSet, monash_set
from rosettabench.data.series.series import PreparedSeries, files, save
from rosettabench.errors import DataError


def prepare_series(
    key: str,
    *,
    data_dir: Path | None,
    cache: Path,
    offline: bool = False,
    asked: str = DataChoice.FOUND,
    progress: DataProgress = silent,
) -> PreparedSeries:
    """Return the set `key`, a name in the study such as ``hospital``, with context and horizon.

    The arguments are those of `prepare`. Series that are no longer than the horizon leave nothing to train on and are
    left out; the note mentions that, and anything else that the file lacks.

    Raises UsageError for an unknown set. Raises DataError if a file is wrong, a folder cannot be read or written, or
    originals are asked for and missing. A stand-in never hides such an error.
    """
    chosen = monash_set(key)
    try:
        return _prepare(chosen, find(chosen, data_dir, cache, offline, progress, asked), cache, progress)
    except OSError as error:
        raise explain_obstacle(error, chosen, cache) from error


def _prepare(chosen: MonashSet, found: Found, cache: Path, progress: DataProgress) -> PreparedSeries:
    """Return the set from the shelf, after preparing it if necessary."""
    recipe = {"set": chosen.name, "version": chosen.version}
    source = identity(found.source)
    made_of = {"recipe": recipe, "source": source, "as": [chosen.frequency, chosen.context, chosen.horizon]}
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]
    folder = cache / "prepared" / f"{chosen.name}-{key}"
    manifest = shelf.obtain(
        folder,
        chosen.title,
        lambda: shelf.fill(folder, lambda making: _write(making, chosen, found, progress), progress),
        progress,
    )
    held = manifest.samples
    origin, note = found.origin, found.note
    if found.source is not None:
        said = remarks(chosen, held, chosen.is_known(found.source, source))
        note = "; ".join([note.removesuffix("."), *said]) + "."
        if held["found"] < chosen.series:
            origin = Origin.INCOMPLETE
    frequency = Frequency.of(manifest.recipe["frequency"])
    context, horizon = manifest.recipe["context"], manifest.recipe["horizon"]
    return PreparedSeries(chosen.name, origin, note, manifest.digest, folder, frequency, context, horizon)


def _write(making: Path, chosen: MonashSet, found: Found, progress: DataProgress) -> shelf.Contents:
    """Read the set, or make its stand-in, and write it into the folder `making`."""
    progress(f"reading {chosen.title}")
    frequency, horizon, series = chosen.read(found.source) if found.source else chosen.stand_in()
    kept = [one for one in series if len(one.values) > horizon]
    if not kept:
        raise DataError(
            f"No series of {chosen.title} is longer than its horizon, {horizon}: {found.note}",
            "Fetch the file again.",
        )
    recipe = {
        "set": chosen.name,
        "version": chosen.version,
        "frequency": frequency.word,
        "context": chosen.context,
        "horizon": horizon,
    }
    return shelf.Contents(recipe, files(making), {"found": len(series), **save(making, kept)})


def remarks(chosen: MonashSet, held: dict[str, int], known: bool) -> list[str]:
    """Return the unexpected properties of an original, as clauses of a sentence."""
    short, missing, without = held["found"] - held["series"], held["missing"], held["without start"]
    told = {
        f"{held['found']:,} of {chosen.series:,} series": held["found"] != chosen.series,
        f"{short:,} series no longer than the horizon are left out": short,
        f"{missing:,} of {held['values']:,} values are missing": missing,
        f"{without:,} of {held['series']:,} series have no start time": without,
        "not byte for byte the file whose checksum is known": not known,
    }
    return [words for words, is_so in told.items() if is_so]
