"""Windows of a set of time series: drawn once, then reused from the cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rosettabench.data import shelf
from rosettabench.data.choice import DataChoice
from rosettabench.data.obstacle import explain_obstacle
from rosettabench.data.prepared import Prepared, parts
from rosettabench.data.progress import DataProgress, silent
from rosettabench.data.series.monash_windows import MonashWindows
from rosettabench.data.series.prepare_series import prepare_series
from rosettabench.data.series.windows import portions


def prepare_windows(
    chosen: MonashWindows,
    form: Mapping[str, Any],
    *,
    data_dir: Path | None,
    cache: Path,
    offline: bool = False,
    asked: str = DataChoice.FOUND,
    progress: DataProgress = silent,
) -> Prepared:
    """Return the windows of a set of the Monash archive in `form`. The other arguments are those of `prepare`.

    Origin and note are those of the series.

    Raises UsageError for a wrong form, DataError if the windows cannot be written, and the errors of `prepare_series`.
    """
    chosen.check(form)
    key = chosen.series.key
    series = prepare_series(key, data_dir=data_dir, cache=cache, offline=offline, asked=asked, progress=progress)
    recipe = {"set": chosen.name, "form": dict(form), "version": chosen.version, "series": series.digest}
    key = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]
    folder = cache / "prepared" / f"{chosen.name}-windows-{key}"

    def put() -> shelf.Manifest:
        """Cut the windows and store the arrays."""
        return shelf.put(folder, recipe, portions(series, form["windows"]), progress)

    try:
        manifest = shelf.obtain(folder, chosen.title, put, progress)
    except OSError as error:
        raise explain_obstacle(error, chosen.series, cache) from error
    train, test = parts(folder, manifest.samples)
    return Prepared(chosen.name, series.origin, series.note, manifest.digest, folder, train, test, series=series)
