"""Lanes: work that is not timed, several pieces at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from rosettabench.client.process import interrupt_all
from rosettabench.lab.competitor import Competitor

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Lanes:
    """A context manager around pieces of work, `count` of which are done at the same time, in the order submitted.

    It ends when all are done. An error raised inside, or Ctrl-C, ends the workers of all `competitors` at once, begins
    nothing more, and is raised again; `stopped` is set then.
    """

    def __init__(self, count: int, competitors: Sequence[Competitor]) -> None:
        """Start no thread before `submit`. Raises ValueError if `count` is less than 1."""
        self.stopped = Event()
        self._executor = ThreadPoolExecutor(count)
        self._competitors = competitors

    def submit(self, work: Callable[Given, Result], *words: Given.args, **options: Given.kwargs) -> Future[Result]:
        """Do a piece of work as soon as a lane is free; the result raises what it raised."""
        return self._executor.submit(work, *words, **options)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for all pieces; after an error, for those that are at work, whose workers it ends."""
        if error is not None:
            self.stopped.set()
            self._executor.shutdown(wait=False, cancel_futures=True)
            for competitor in self._competitors:
                if competitor.out is None:
                    competitor.abandon()
            interrupt_all()
        self._executor.shutdown()
