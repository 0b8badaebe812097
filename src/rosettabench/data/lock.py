"""Locks for work that two runs on one machine must not do at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosettabench.data.progress import DataProgress


@contextmanager
def lock_file(path: Path, message: str, progress: DataProgress) -> Iterator[None]:
    """Hold the lock `path`, an empty file, while the block runs. Report `message` while waiting for another holder.

    The kernel releases the lock when its holder ends, even after a crash. The empty file stays.
    """
    import fcntl

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(message)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
