"""Prepared data in the cache, of any kind: the folder, the digest and the origin."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rosettabench.data.origin import Origin


@dataclass(frozen=True)
class OnShelf:
    """Prepared data in the cache: memory-mapped .npy files in a folder, and where their content came from."""

    name: str
    """The name of the data set: ``fashion-mnist``."""
    origin: Origin
    note: str
    """One sentence for tables and reports on where the content came from; for a stand-in, also the reason."""
    digest: str
    """sha256 of the recipe (data set, form, version of the preparation) and of the arrays. It does not depend on where
    the originals were, nor on their file format."""
    folder: Path

    @property
    def is_stand_in(self) -> bool:
        """Whether a report must say that this is not the real data."""
        return self.origin is Origin.STAND_IN

    @property
    def is_whole(self) -> bool:
        """Whether it is complete and as asked for; if not, the user must be told."""
        return self.origin not in (Origin.INCOMPLETE, Origin.STAND_IN)

    def is_intact(self) -> bool:
        """Read all bytes again, and return whether the digest still fits."""
        try:
            manifest = json.loads((self.folder / "manifest.json").read_bytes())
            return digest(manifest["recipe"], [self.folder / name for name in manifest["sizes"]]) == self.digest
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def discard(self) -> None:
        """Remove the files, so that the next use prepares them again."""
        shutil.rmtree(self.folder)


def digest(recipe: Mapping[str, Any], files: Iterable[Path]) -> str:
    """Return the sha256 of `recipe` and of the arrays in `files`: names, dtypes, shapes and elements."""
    total = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode())
    for file in files:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
        total.update(f"\n{file.name} {array.dtype.str} {array.shape}\n".encode())
        total.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return total.hexdigest()
