"""The shelf: the prepared data sets in the cache, one folder for each pair of originals and form.

A folder is either complete or absent: it is written under another name and then renamed.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rosettabench.data.data_set import Portion
from rosettabench.data.lock import lock_file
from rosettabench.data.on_shelf import digest
from rosettabench.data.prepared import array_files
from rosettabench.data.progress import DataProgress
from rosettabench.files import save_array

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """The description in a prepared folder."""

    recipe: dict[str, Any]
    digest: str
    samples: dict[str, int]
    sizes: dict[str, int]
    """{file of an array: its size in bytes}, in the order of the digest."""


class Contents(NamedTuple):
    """The result of filling a folder: its recipe, its arrays in the order of the digest, and the samples in them."""

    recipe: Mapping[str, Any]
    files: list[Path]
    samples: dict[str, int]


def look_up(folder: Path) -> Manifest | None:
    """Return the manifest of a complete folder; None if a file is missing or has another size."""
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST).read_bytes()))
        sizes = {name: (folder / name).stat().st_size for name in manifest.sizes}
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
        return None
    return manifest if sizes == manifest.sizes else None


def obtain(folder: Path, title: str, put: Callable[[], Manifest], progress: DataProgress) -> Manifest:
    """Return the manifest of `folder`. If it is incomplete, `put` fills it, under a lock."""
    manifest = look_up(folder)
    if manifest is None:
        waiting = f"waiting for another run that prepares {title}"
        with lock_file(folder.with_name(f"{folder.name}.lock"), waiting, progress):
            manifest = look_up(folder) or put()
    return manifest


def put(folder: Path, recipe: Mapping[str, Any], portions: Iterable[Portion], progress: DataProgress) -> Manifest:
    """Write `portions` into `folder`, replacing its content. The caller holds the lock of `folder`."""
    return fill(
        folder, lambda making: Contents(recipe, array_files(making), _write(making, portions, progress)), progress
    )


def fill(folder: Path, write: Callable[[Path], Contents], progress: DataProgress) -> Manifest:
    """Let `write` put arrays into `folder`, replacing its content. The caller holds the lock of `folder`."""
    _sweep(folder)
    making = Path(tempfile.mkdtemp(prefix=_unfinished_prefix(folder), dir=folder.parent))
    try:
        recipe, files, samples = write(making)
        progress("computing the digest")
        sizes = {file.name: file.stat().st_size for file in files}
        manifest = Manifest(dict(recipe), digest(recipe, files), samples, sizes)
        (making / MANIFEST).write_text(json.dumps(asdict(manifest), indent=2) + "\n")
        making.chmod(0o755)  # mkdtemp closes its folders to other users, but a cache may be shared
        if folder.exists():
            folder.rename(making.with_name(f"{making.name}.old"))
        making.rename(folder)
    finally:
        _sweep(folder)
    return manifest


def _write(folder: Path, portions: Iterable[Portion], progress: DataProgress) -> dict[str, int]:
    """Save the arrays of every part. Return {part: number of samples}."""
    samples = {}
    for part, inputs, labels in portions:
        progress(f"writing the {part} part")
        save_array(folder / f"{part}_inputs.npy", inputs)
        save_array(folder / f"{part}_labels.npy", labels)
        samples[part] = len(labels)
    return samples


def _unfinished_prefix(folder: Path) -> str:
    """Return the prefix of the names of unfinished versions of `folder`."""
    return f"{folder.name}.unfinished-"


def _sweep(folder: Path) -> None:
    """Remove the remains of a killed preparation of `folder`. The lock ensures that no other is active."""
    for left in folder.parent.glob(f"{_unfinished_prefix(folder)}*"):
        shutil.rmtree(left)
