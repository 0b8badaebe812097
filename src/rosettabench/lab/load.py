"""Watch the machine's load by other programs while a contest measures, and store that of each round."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict

from rosettabench.client.session import Session
from rosettabench.lab.journal import Journal
from rosettabench.resources.load import LoadWatch
from rosettabench.resources.processors import worker_processors
from rosettabench.store.record import MachineLoad, RoundLoad


def watch_load(sessions: Iterable[Session], threads: int) -> LoadWatch:
    """Watch the load by all but `sessions` from now on, on the contenders' processors and on all that the run may use.

    The busier of the two groups counts: programs on other processors still take memory bandwidth from the contenders.
    """
    every = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    workers = [one.process.pid for one in sessions]
    return LoadWatch(workers, (worker_processors(threads), every))


def machine_load(watch: LoadWatch) -> MachineLoad | None:
    """Return the load since a watch began; None if the system does not report it."""
    load = watch.load()
    return None if load is None else MachineLoad(**asdict(load))


def note_load(journal: Journal, number: int, watch: LoadWatch) -> None:
    """Store the load of a round; nothing if the system does not report it."""
    load = machine_load(watch)
    if load is not None:
        journal.event(RoundLoad(round=number, **load.model_dump()))
