"""Where a run keeps what it needs for a while: tensors that a proof compares, batches. In memory, where there is room.

A proof of a deep network writes some ten thousand small files, one a tensor and step. On a disk their making alone can
take longer than all that is computed.
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
"""What the name of every such folder begins with."""

MARKER = ".rosetta-scratch"
"""The file in it that is locked while its run lives. A folder without it is not ours to remove."""

MEMORY = Path("/dev/shm")  # noqa: S108 - folders in it are made by tempfile, with a name that nobody can foresee
"""Linux' file system in memory."""

ROOM = 6 * 2**30
"""Bytes that must be free in it. Of the proofs of all workloads, two at a time, df showed at most 1.7e9 at once."""

AVAILABLE = 16 * 2**30
"""Bytes of memory that must be available, so that workers keep what they need."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Lend a new folder, removed in the end. What a killed run has left in the same place goes first."""
    parent = scratch_place()
    remove_abandoned(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as folder, hold_folder(Path(folder)):
        yield Path(folder)


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Hold a folder as long as this process lives: its marker is locked before it has its name."""
    making = folder / f"{MARKER}-making"
    lock = os.open(making, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        making.rename(folder / MARKER)
        yield
    finally:
        os.close(lock)


def scratch_place() -> Path:
    """Return $TMPDIR where it is set, or memory with room enough, or else the system's folder of temporary files."""
    if "TMPDIR" in os.environ or not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        return Path(tempfile.gettempdir())
    room = shutil.disk_usage(MEMORY).free >= ROOM and psutil.virtual_memory().available >= AVAILABLE
    return MEMORY if room else Path(tempfile.gettempdir())


def remove_abandoned(parent: Path) -> None:
    """Remove the folders of runs that were killed: this user's, with a marker that no living process holds."""
    for marker in parent.glob(f"{PREFIX}*/{MARKER}"):
        with suppress(OSError):  # somebody else's, or one that is held, or that another run removes at this moment
            if marker.stat().st_uid == os.getuid():
                lock = os.open(marker, os.O_RDWR)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(marker.parent)
                finally:
                    os.close(lock)
