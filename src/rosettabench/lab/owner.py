"""Who is at work on a run: one process at a time, or everything would be measured twice, at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosettabench.errors import UsageError


@contextmanager
def own_run(run_id: str, cache: Path) -> Iterator[None]:
    """Be the one process that works on a run; raise UsageError, with its number, where another one does.

    The lock lies in a file below `cache` and goes with the process, however that ends. It is this machine's: whoever
    works on the same run from another machine is not seen.
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
