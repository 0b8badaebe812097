"""Let only one process work on a run: two would measure everything twice, at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rosettabench.client.machine import describe_machine
from rosettabench.errors import UsageError
from rosettabench.places import rescue_dir
from rosettabench.store.content import Relation, lines_of, relate
from rosettabench.store.machine import KIND
from rosettabench.store.rescue import rescued_files
from rosettabench.store.schema import Run
from rosettabench.store.store import Store


@contextmanager
def at_work(store: Store, run: Run, cache: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Own a run on this machine and in its store. It goes on in a local file if its database goes away.

    `tell` is called once if that happens. Raises UsageError if another process owns the run, if it belongs to another
    machine, or if a part of it lies in a local file.
    """
    with own_run(run.id, cache), store.own_run(run.id):
        if store.is_shared:
            refuse_other_machine(run)
            refuse_unmerged(store, run.id)
        with store.protect_run(run.id, rescue_dir(), tell):
            yield


def refuse_other_machine(run: Run) -> None:
    """Raise UsageError for a run that another machine began: their times are no times of one contest."""
    here = describe_machine()
    for fact in (*KIND, "memory_bytes"):
        if run.machine.get(fact) != here.get(fact):
            raise UsageError(
                f"run {run.id} began on another machine: {fact} {run.machine.get(fact)}, here {here.get(fact)}",
                f"Resume it there, or begin it here: {' '.join(run.command)}",
            )


def refuse_unmerged(store: Store, run_id: str) -> None:
    """Raise UsageError if a run went on in a local file that the store does not have yet: both would go on."""
    for file in rescued_files(run_id, rescue_dir()):
        rescued = Store(str(file)).run(run_id)
        if relate(lines_of(rescued), lines_of(store.run(run_id))) not in (Relation.SAME, Relation.BEHIND):
            raise UsageError(
                f"run {run_id} went on in {file} while its database was away",
                f"Merge it, then resume: rosetta store merge {file}",
            )


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


def owner_of(run_id: str, cache: Path) -> str | None:
    """Return which process of this machine is at work on a run; None if there is none."""
    place = cache / "runs" / f"{run_id}.lock"
    if not place.exists():
        return None
    with place.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return f"process {file.read().strip() or 'of another user'}"
    return None
