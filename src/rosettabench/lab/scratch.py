"""The folder of a run's temporary files: tensors of proofs, and batches. It is in memory if there is room.

A proof of a deep network writes about ten thousand small files, one per tensor and step. On a disk, creating them can
take longer than the computation.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

PREFIX = "rosetta-"
"""The beginning of the name of every scratch folder."""

MARKER = ".rosetta-scratch"
"""A file in the folder, locked while the run lives. A folder without it is never removed."""

MEMORY = Path("/dev/shm")  # noqa: S108 - folders in it are made by tempfile, with a name that nobody can foresee
"""The file system in memory of Linux."""

ROOM = 6 * 2**30
"""Bytes that must be free in it. The proofs of all workloads, two at a time, used at most 1.7e9 by `df`."""

AVAILABLE = 16 * 2**30
"""Bytes of memory that must be available, so that enough is left for the workers."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Lend a new folder and remove it in the end. Before that, remove the folders that killed runs left."""
    parent = scratch_place()
    remove_abandoned(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as folder, hold_folder(Path(folder)):
        yield Path(folder)


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Lock the marker of a folder while this process lives. The marker gets its name only after it is locked."""
    making = folder / f"{MARKER}-making"
    lock = os.open(making, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        making.rename(folder / MARKER)
        yield
    finally:
        os.close(lock)


def scratch_place() -> Path:
    """Return $TMPDIR if it is set, else the folder in memory if there is room, else the system's temporary folder."""
    if "TMPDIR" in os.environ or not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        return Path(tempfile.gettempdir())
    room = shutil.disk_usage(MEMORY).free >= ROOM and psutil.virtual_memory().available >= AVAILABLE
    return MEMORY if room else Path(tempfile.gettempdir())


def remove_abandoned(parent: Path) -> None:
    """Remove the folders of runs that were killed: this user's, with a marker that no living process holds."""
    for marker in parent.glob(f"{PREFIX}*/{MARKER}"):
        with suppress(OSError):  # another user's, still locked, or removed by another run at this moment
            if marker.stat().st_uid == os.getuid():
                lock = os.open(marker, os.O_RDWR)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(marker.parent)
                finally:
                    os.close(lock)
