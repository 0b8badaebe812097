"""The folder of a site: written beside its place and renamed into it, so that a site is never half new.

The folder that was there is a site of ours, or empty, or it is refused. What has not changed since is linked, not
written again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from rosettabench.errors import UsageError

MARKER = "rosetta-site.json"
"""The file by which a site of ours is recognised."""

FORMAT = 1
"""The version of the marker."""


class SiteFolder:
    """A site that is being written; `old` is the one that it replaces, None if there is none."""

    def __init__(self, draft: Path, old: Path | None) -> None:
        """`draft` is the existing folder that receives the new files."""
        self.draft = draft
        self.old = old

    def write(self, path: str, content: bytes) -> None:
        """Write a file of the new site."""
        place = self.draft / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def read_old(self, path: str) -> bytes | None:
        """Return a file of the old site; None if it has no such file."""
        place = self.old / path if self.old else None
        return place.read_bytes() if place is not None and place.is_file() else None

    def keep(self, *paths: str) -> bool:
        """Take files over from the old site as they are. Return False, and take none, if one is missing."""
        if self.old is None or not all((self.old / path).is_file() for path in paths):
            return False
        for path in paths:
            place = self.draft / path
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(self.old / path, place)
            except OSError:  # a file system without links
                shutil.copy2(self.old / path, place)
        return True


@contextmanager
def replace_folder(out: Path) -> Iterator[SiteFolder]:
    """Give a new folder to write a site into; it takes the place `out` when all is written, and else disappears.

    Raises UsageError if `out` is a file, or a folder with anything but a site of ours.
    """
    place = out.expanduser().resolve()
    check(place, out)
    place.parent.mkdir(parents=True, exist_ok=True)
    sweep(place)
    draft = hidden_name(place, "new")
    draft.mkdir()
    try:
        yield SiteFolder(draft, place if (place / MARKER).is_file() else None)
        (draft / MARKER).write_text(json.dumps({"rosetta-site": FORMAT}), encoding="utf-8")
        move_in(draft, place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def check(place: Path, out: Path) -> None:
    """Raise UsageError unless a site may be written to `place`, which the user calls `out`."""
    if place.is_dir() and (is_site(place) or not any(place.iterdir())):
        return
    if place.exists():
        what = "a folder with something else than a site of Rosettabench" if place.is_dir() else "a file"
        raise UsageError(f"{out} is {what}", "Name a new folder, or that of an earlier site; nothing was written.")


def is_site(place: Path) -> bool:
    """Return whether a folder is a site of ours."""
    try:
        found = json.loads((place / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and "rosetta-site" in found


def hidden_name(place: Path, what: str) -> Path:
    """Return a hidden name beside `place` that no other process uses."""
    return place.with_name(f".{place.name}.{what}.{os.getpid()}")


def sweep(place: Path) -> None:
    """Remove what a killed process left beside `place`."""
    pattern = re.compile(re.escape(f".{place.name}.") + r"(new|old)\.(\d+)")
    for one in place.parent.iterdir():
        found = pattern.fullmatch(one.name)
        if found and not psutil.pid_exists(int(found[2])):
            shutil.rmtree(one, ignore_errors=True)


def move_in(draft: Path, place: Path) -> None:
    """Put the finished draft in its place; if that fails, the old folder stays."""
    old = hidden_name(place, "old")
    if place.exists():
        place.rename(old)
    try:
        draft.rename(place)
    except OSError:
        if old.exists():
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)
