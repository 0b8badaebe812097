"""Let only one process work on a run: two would measure everything twice, at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosettabench.errors import UsageError


@contextmanager
def own_run(run_id: str, cache: Path) -> Iterator[None]:
    """Own a run as its only process; raise UsageError with the number of the other process if there is one.

    The lock is a file below `cache` and is released when the process ends, even by a crash. It does not see a process
    on another machine.
    """
    folder = cache / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{run_id}.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip()
            raise UsageError(
                f"process {holder or 'of another user'} is at work on run {run_id}", "Wait for it, or end it first."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
