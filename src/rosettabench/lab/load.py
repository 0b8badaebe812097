"""Measure and store the machine's load during a round."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict

from rosettabench.lab.competitor import Competitor
from rosettabench.lab.journal import Journal
from rosettabench.resources.load import LoadWatch
from rosettabench.resources.processors import worker_processors
from rosettabench.store.record import RoundLoad


def watch_load(competitors: Iterable[Competitor], threads: int) -> LoadWatch:
    """Watch the load by other programs from now on, on the contenders' processors and on all that this run may use.

    The busier of the two groups counts: programs on other processors still take memory bandwidth from the contenders.
    """
    every = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    workers = [one.session.process.pid for one in competitors if one.session is not None]
    return LoadWatch(workers, (worker_processors(threads), every))


def note_load(journal: Journal, number: int, watch: LoadWatch) -> None:
    """Store the load of a round; nothing if the system does not report it."""
    load = watch.load()
    if load is not None:
        journal.event(RoundLoad(round=number, **asdict(load)))
