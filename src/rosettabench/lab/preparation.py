"""Prepare what a run needs before it can measure: data sets and environments, in parallel, each made once.

Background threads prepare one data set and make three environments at a time: one environment waits for the network
while the other compiles. Each kind is made in the order in which contests need it. No job begins while something is
timed (`paused`). The threads use neither the display nor the store.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Condition, Lock, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self

from rosettabench.environments.program import end_programs
from rosettabench.lab.display import Display

AT_ONCE = {"data": 1, "environment": 3}
"""How many jobs of a kind run at the same time."""

GLANCE_S = 0.5
"""Seconds after which a waiting thread updates the display, so that its clock goes on."""

PATIENCE_S = 5.0
"""Seconds that a thread has to stop. A thread that reads a large file may take longer and ends with this process."""


class Abandoned(BaseException):
    """The run is over, and the result of this job is no longer needed."""


class Make(Protocol):
    """Makes something, and reports its progress in words."""

    def __call__(self, progress: Callable[..., None], /) -> Any:  # noqa: ANN401 (a data set or an environment)
        """Make it."""


Key = tuple[Hashable, ...]
"""The key of a job; its first element is the kind, one of AT_ONCE."""


@dataclass(eq=False)
class Job:
    """One data set or environment to make: in the background, or by the first thread that needs it.

    `seconds` is an estimate of the longest time it takes.
    """

    key: Key
    title: str
    make: Make
    seconds: float = 0.0
    made: Future[Any] = field(default_factory=Future)
    claimed: Lock = field(default_factory=Lock)

    def do(self, progress: Callable[..., None]) -> None:
        """Make it, unless another thread began to. An exception is kept and raised where the result is asked for."""
        if not self.claimed.acquire(blocking=False):
            return
        try:
            self.made.set_result(self.make(progress))
        except BaseException as error:  # noqa: BLE001 (raised again by result())
            self.made.set_exception(error)


class Preparation:
    """Runs jobs in the background from `begin` on. A context manager: leaving it ends all jobs.

    All methods but `obtain` are called by one thread, which also uses the display.
    """

    def __init__(self, display: Display) -> None:
        """`display` shows the progress of jobs while the caller waits for one. Threads start in `begin`."""
        self._display = display
        self._jobs: dict[Key, Job] = {}
        self._threads: list[Thread] = []
        self._said: SimpleQueue[str] = SimpleQueue()
        self._gate = Condition()
        self._held = False
        self._abandoned = False
        self._busy = 0

    def __enter__(self) -> Self:
        """Return itself; no job begins yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the jobs that still run."""
        self._abandoned = True
        with self._gate:
            self._gate.notify_all()
        end = monotonic() + PATIENCE_S
        while (alive := [thread for thread in self._threads if thread.is_alive()]) and monotonic() < end:
            end_programs()  # repeatedly: a job may be about to start its next program
            for thread in alive:
                thread.join(0.05)

    @property
    def seconds(self) -> float:
        """The sum of the estimated seconds of all jobs that are not done."""
        return sum(job.seconds for job in list(self._jobs.values()) if not job.made.done())

    def add(self, job: Job) -> None:
        """Add a job after the earlier ones of its kind, unless there is one with its key."""
        self._jobs.setdefault(job.key, job)

    def begin(self) -> None:
        """Start the background threads on all jobs that were added."""
        for kind, number in AT_ONCE.items():
            jobs = [job for key, job in self._jobs.items() if key[0] == kind]
            self._threads += [Thread(target=self._work, args=(jobs,), daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def get(self, key: Key) -> Any:  # noqa: ANN401 (what the job makes)
        """Return the result of the job `key`, or raise its exception; show the progress of all jobs while waiting."""
        job = self._jobs[key]
        while not job.made.done():
            self._show()
        return job.made.result()

    def obtain(self, job: Job, progress: Callable[..., None]) -> Any:  # noqa: ANN401 (what the job makes)
        """Return the result of a job. If no thread began it, the caller does it, even while jobs are paused."""
        job = self._jobs.setdefault(job.key, job)
        job.do(progress)
        return job.made.result()

    @contextmanager
    def pause_jobs(self) -> Iterator[None]:
        """Let no job run inside: wait for the running ones first, and start the next ones afterwards."""
        with self._gate:
            self._held = True
        try:
            while self._busy:
                self._show()
            yield
        finally:
            with self._gate:
                self._held = False
                self._gate.notify_all()

    # -- in the background -------------------------------------------------------------------------------------------

    def _work(self, jobs: Iterable[Job]) -> None:
        """Do jobs one after the other; wait while jobs are paused."""
        for job in jobs:
            with self._gate:
                self._gate.wait_for(lambda: self._abandoned or not self._held)
                if self._abandoned:
                    return
                self._busy += 1
            try:
                job.do(partial(self._say, job.title))
            finally:
                with self._gate:
                    self._busy -= 1
                self._said.put("")  # wakes the waiting thread

    def _say(self, title: str, message: str, done: int | None = None, total: int | None = None) -> None:
        """Pass on the progress of a job. Raises Abandoned in its thread if the run is over."""
        if self._abandoned:
            raise Abandoned
        if not done:
            self._said.put(f"{title}: {message.strip()}")

    # -- in the waiting thread ---------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Wait up to GLANCE_S for news; show it and how many jobs are done."""
        try:
            message = self._said.get(timeout=GLANCE_S)
        except Empty:
            message = ""
        jobs = list(self._jobs.values())  # a copy: another thread may add one
        done, begun = (sum(map(how, jobs)) for how in (is_done, is_begun))
        self._display.preparing(message, done, begun, len(jobs))


def is_done(job: Job) -> bool:
    """Return whether a job has ended, successfully or not."""
    return job.made.done()


def is_begun(job: Job) -> bool:
    """Return whether a job was begun; it may have ended."""
    return job.claimed.locked()
