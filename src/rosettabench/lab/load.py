"""The machine's load during a round, on its way to the store."""

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
    """Watch what others compute from now on: on the processors of the contenders, and on all that this run may use.

    Of the two groups the busier one counts: who computes beside the contenders takes memory bandwidth from them, and
    who computes on their processors takes all.
    """
    every = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    workers = [one.session.process.pid for one in competitors if one.session is not None]
    return LoadWatch(workers, (worker_processors(threads), every))


def note_load(journal: Journal, number: int, watch: LoadWatch) -> None:
    """Write down what others used in a round; nothing where the system does not tell."""
    load = watch.load()
    if load is not None:
        journal.event(RoundLoad(round=number, **asdict(load)))
