"""Find a data set: in the user's folder, or else at its original source, or else use a stand-in.

The axis `data` restricts this: `real` refuses a stand-in, `synthetic` always takes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from rosettabench.data.choice import DataChoice
from rosettabench.data.data_set import Original, Source
from rosettabench.data.download import Unreachable, fetch, is_here
from rosettabench.data.lock import lock_file
from rosettabench.data.origin import Origin
from rosettabench.data.progress import DataProgress
from rosettabench.errors import DataError


@dataclass(frozen=True)
class Found:
    """The originals, or None for a stand-in. `origin` and `note` are those of Prepared."""

    origin: Origin
    note: str
    source: Source | None


def find(
    data_set: Original,
    data_dir: Path | None,
    cache: Path,
    offline: bool,
    progress: DataProgress,
    asked: str = DataChoice.FOUND,
) -> Found:
    """Find the originals of `data_set`, as far as `asked`, a value of the axis `data`, allows them.

    A data folder without them is not an error, since it may be meant for other data sets; the note mentions it. Wrong
    files in it do raise DataError, here or when they are read, so that a stand-in never hides them.
    """
    if data_set.drawn:
        note = f"{data_set.title}, drawn by Rosettabench as the workload states."
        return Found(Origin.DRAWN, note, Source(cache, {}))
    if asked == DataChoice.SYNTHETIC:
        note = f"Made by Rosettabench in the place of {data_set.title}, as data=synthetic asks."
        return Found(Origin.SYNTHETIC, note, None)
    reasons = []
    if data_dir is not None:
        source = _in_data_dir(data_set, data_dir)
        if source is not None:
            note = f"{data_set.title}, the original files in {source.folder}"
            if source.part:
                return Found(Origin.INCOMPLETE, f"{note}: {source.part}.", source)
            return Found(Origin.ORIGINAL, f"{note}.", source)
        reasons.append(f"{data_dir} holds no files of it")
    try:
        source = _download(data_set, cache, offline, progress)
    except Unreachable as unreachable:
        if asked == DataChoice.REAL:
            raise missing(data_set, [*(reasons or ["no data folder is named"]), str(unreachable)]) from unreachable
        because = " and ".join([*reasons, str(unreachable)])
        note = f"Stand-in made by Rosettabench, not the real {data_set.title}, because {because}."
        return Found(Origin.STAND_IN, note, None)
    because = f" ({reasons[0]})" if reasons else ""
    hosts = " and ".join(dict.fromkeys(urlsplit(remote.url).netloc for remote in data_set.remotes))
    return Found(Origin.DOWNLOAD, f"{data_set.title}, downloaded from {hosts}{because}.", source)


def missing(data_set: Original, reasons: Iterable[str]) -> DataError:
    """Return the error for originals of `data_set` that are missing although `real` asks for them."""
    return DataError(
        f"data=real asks for {data_set.title}, which is not here: {' and '.join(reasons)}.",
        f"Name a folder that holds {data_set.name} with --data-dir, or take data=synthetic.",
    )


def obtainable(data_set: Original, data_dir: Path | None, cache: Path, offline: bool) -> bool:
    """Return whether originals are available, as far as that is known without downloading.

    Raises DataError if `data_dir` does not exist.
    """
    if data_set.drawn:
        return False
    if data_dir is not None and _in_data_dir(data_set, data_dir) is not None:
        return True
    return bool(data_set.remotes) and (not offline or is_here(cache / "downloads" / data_set.name, data_set.remotes))


def _in_data_dir(data_set: Original, data_dir: Path) -> Source | None:
    """Return the originals in the user's folder or its subfolder for the set. Raises DataError for a missing folder."""
    if not data_dir.is_dir():
        raise DataError(f"The data folder {data_dir} does not exist.", "Name an existing folder, or none.")
    return data_set.find(data_dir / data_set.name) or data_set.find(data_dir)


def _download(data_set: Original, cache: Path, offline: bool, progress: DataProgress) -> Source:
    """Return the originals as downloaded, now or earlier. Raises Unreachable if they cannot be."""
    if not data_set.remotes:
        raise Unreachable("it is not downloaded, but taken from a folder that you name (docs/guide/data.md)")
    folder = cache / "downloads" / data_set.name
    if not is_here(folder, data_set.remotes):
        if offline:
            raise Unreachable("downloads are switched off")
        with lock_file(folder / ".lock", f"waiting for another run that downloads {data_set.title}", progress):
            fetch(folder, data_set.remotes, progress)
    source = data_set.find(folder)
    if source is None:
        raise DataError(f"The downloaded files of {data_set.title} have vanished from {folder}.", "Try again.")
    return source
