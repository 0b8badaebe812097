"""What lies prepared in the cache, of whatever kind: its folder, its digest, and where its content came from."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class OnShelf:
    """Something prepared in the cache: memory-mapped .npy files in a folder, and where their content came from."""

    name: str
    """``fashion-mnist``."""
    origin: str
    """``original`` (the user's folder), ``incomplete`` (a part of it), ``download``, ``drawn`` (by definition of the
    set: there is no original), ``synthetic`` (made up, as asked for) or ``stand-in``."""
    note: str
    """One sentence for tables and reports: where it came from; of a stand-in, that it is one and why."""
    digest: str
    """sha256 of the recipe (data set, form, version of the preparation) and of the arrays: the same wherever the
    originals lay, and whichever of their formats they had."""
    folder: Path

    @property
    def is_stand_in(self) -> bool:
        """Whether a report has to say that this is not the real data."""
        return self.origin == "stand-in"

    @property
    def is_whole(self) -> bool:
        """Whether it is what was asked for, and all of it; if not, whoever uses it must be told."""
        return self.origin in ("original", "download", "drawn", "synthetic")

    def is_intact(self) -> bool:
        """Read every byte again; return whether they still are those of the digest."""
        try:
            manifest = json.loads((self.folder / "manifest.json").read_bytes())
            return digest(manifest["recipe"], [self.folder / name for name in manifest["sizes"]]) == self.digest
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def discard(self) -> None:
        """Remove the files, so that they are prepared again when they are next asked for."""
        shutil.rmtree(self.folder)


def digest(recipe: Mapping[str, Any], files: Iterable[Path]) -> str:
    """Return the sha256 of `recipe` and of the arrays in `files`: names, types, shapes and elements."""
    total = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode())
    for file in files:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
        total.update(f"\n{file.name} {array.dtype.str} {array.shape}\n".encode())
        total.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return total.hexdigest()
