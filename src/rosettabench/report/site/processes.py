"""Write the files of many runs: the processors of the machine share them."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager
from multiprocessing import get_context
from queue import SimpleQueue
from typing import TYPE_CHECKING

from rosettabench.errors import RosettaError
from rosettabench.report.site.run_files import Runs, write_run
from rosettabench.resources.processors import usable_cores

if TYPE_CHECKING:
    from rosettabench.report.site.extract import RunExtract
    from rosettabench.report.site.folder import SiteFolder

OpenRuns = Callable[[], AbstractContextManager[Runs]]
"""Opens the runs of a store. Other processes get it pickled: it is a function of a module, with its arguments."""

FEWEST = 2
"""Fewest runs that a process reads and writes at a time: for fewer, it is not worth starting one, which imports for
seconds."""

MOST_BLOCKS = 32_000
"""Most blocks of these runs, if they are more than FEWEST. What they share is read once, but all are in memory: 300 to
400 MB in each process for long runs (docs/results/scale.md)."""

TURNS = 4
"""How often each process gets so many runs, at least, so that all end at about the same time."""


def write_runs(folder: SiteFolder, open_runs: OpenRuns, marked: Sequence[tuple[str, str]]) -> Iterator[RunExtract]:
    """Write the files of the runs `marked`, (id, mark); yield their extracts in that order.

    Each process is a pool of its own: in Python 3.11, a pool can wait for ever if one of its processes is killed while
    another one starts. Raises RosettaError if a process was killed.
    """
    if not marked:
        return
    with open_runs() as runs:
        blocks = runs.count_blocks()
    shares = list(cut(marked, blocks, most=len(marked) // (TURNS * usable_cores())))
    count = min(usable_cores(), len(shares))
    if count < 2:
        for share in shares:
            yield from write_share(folder, open_runs, share)
        return
    ignored = (signal.SIGINT, signal.SIG_IGN)  # the first process handles Ctrl-C
    idle: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()

    def write(share: Sequence[tuple[str, str]]) -> list[RunExtract]:
        """Have a process write the files of a few runs."""
        process = idle.get()
        try:
            return process.submit(write_share, folder, open_runs, share).result()
        finally:
            idle.put(process)

    with ExitStack() as stack:
        for _ in range(count):
            idle.put(stack.enter_context(ProcessPoolExecutor(1, get_context("spawn"), signal.signal, ignored)))
        try:
            for found in stack.enter_context(ThreadPoolExecutor(count)).map(write, shares):
                yield from found
        except BrokenProcessPool as error:
            raise RosettaError(
                "a process that wrote pages was killed", "Was there enough memory? Try again, with more of it free."
            ) from error


def cut(marked: Sequence[tuple[str, str]], blocks: Mapping[str, int], most: int) -> Iterator[list[tuple[str, str]]]:
    """Yield the runs in shares of FEWEST to `most`, where the runs of a share have MOST_BLOCKS at most."""
    share: list[tuple[str, str]] = []
    total = 0
    for name, mark in marked:
        total += blocks.get(name, 0)
        if len(share) >= FEWEST and (len(share) >= most or total > MOST_BLOCKS):
            yield share
            share, total = [], blocks.get(name, 0)
        share.append((name, mark))
    if share:
        yield share


def write_share(folder: SiteFolder, open_runs: OpenRuns, share: Sequence[tuple[str, str]]) -> list[RunExtract]:
    """Write the files of a few runs and return their extracts."""
    marks = dict(share)
    with open_runs() as runs, one_collection():
        extracts = {run.id: write_run(folder, runs, run, marks[run.id]) for run in runs.load(marks)}
    return [extracts[name] for name in marks]


@contextmanager
def one_collection() -> Iterator[None]:
    """Collect what refers to itself once, at the end, and only what was made inside.

    A run has tens of thousands of records, all in use until its files are written. Python would look through them
    whenever some hundred more have been made, which takes a tenth of the time (docs/results/scale.md).
    """
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()
        gc.unfreeze()
