"""The identity of originals, by which the arrays prepared from them are found again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from rosettabench.data.data_set import Source


def identity(source: Source | None) -> dict[str, Any]:
    """Return what identifies these originals: {key: sha256 of a file, or of a folder's names, sizes and times}.

    Folders hold unpacked reviews. To read 50,000 files at every start would take too long.
    """
    if source is None:
        return {"stand-in": True}
    return {word: _folder_state(path) if path.is_dir() else _sha256(path) for word, path in source.paths.items()}


def _sha256(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder_state(folder: Path) -> str:
    """Return the sha256 of the names, sizes and modification times of all files below `folder`."""
    states = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        states.update(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return states.hexdigest()
