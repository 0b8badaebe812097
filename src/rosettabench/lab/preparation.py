"""What a run needs before it can measure: data sets and environments, side by side, each made once.

Threads in the background prepare data, one set at a time, and make environments, two at a time: one waits for the
network while the other compiles. Each kind is made in the order in which contests need it. While something is timed,
nothing new is begun (`paused`). The threads show nothing themselves, and write nothing into the store.
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

AT_ONCE = {"data": 1, "environment": 2}
"""How many of a kind are made at the same time."""

GLANCE_S = 0.5
"""Seconds after which whoever waits looks at the display again: its clock goes on."""

PATIENCE_S = 5.0
"""Seconds that a thread has to end after it was told to. One that reads a large file ends with this process."""


class Abandoned(BaseException):
    """The run is over, and what was being made for it is not wanted any more."""


class Make(Protocol):
    """Makes something, and tells in words how far it is."""

    def __call__(self, progress: Callable[..., None], /) -> Any:  # noqa: ANN401 (a data set or an environment)
        """Make it."""


Key = tuple[Hashable, ...]
"""What a job is known by; its first element is the kind, one of AT_ONCE."""


@dataclass(eq=False)
class Job:
    """One thing that is made: in the background, or by whoever needs it before it was begun there.

    `seconds` is what that takes at most, as far as one can tell.
    """

    key: Key
    title: str
    make: Make
    seconds: float = 0.0
    made: Future[Any] = field(default_factory=Future)
    claimed: Lock = field(default_factory=Lock)

    def do(self, progress: Callable[..., None]) -> None:
        """Make it, unless somebody else has begun to. What it raises is kept for those who ask for it."""
        if not self.claimed.acquire(blocking=False):
            return
        try:
            self.made.set_result(self.make(progress))
        except BaseException as error:  # noqa: BLE001 (raised where the result is asked for)
            self.made.set_exception(error)


class Preparation:
    """Makes what it is asked for, in the background from `begin` on. As a context manager it ends with the work inside.

    One thread alone calls all methods but `obtain`, and uses the display.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._jobs: dict[Key, Job] = {}
        self._threads: list[Thread] = []
        self._said: SimpleQueue[str] = SimpleQueue()
        self._gate = Condition()
        self._held = False
        self._abandoned = False
        self._busy = 0

    def __enter__(self) -> Self:
        """Nothing is begun yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what is still being made."""
        self._abandoned = True
        with self._gate:
            self._gate.notify_all()
        end = monotonic() + PATIENCE_S
        while any(thread.is_alive() for thread in self._threads) and monotonic() < end:
            end_programs()  # again and again: a lane may be about to start the next one
            for thread in self._threads:
                thread.join(0.05)

    @property
    def seconds(self) -> float:
        """The seconds that everything takes at most which is not there yet."""
        return sum(job.seconds for job in list(self._jobs.values()) if not job.made.done())

    def add(self, job: Job) -> None:
        """Let something be made after all of its kind that was added before. What has the same key is the same."""
        self._jobs.setdefault(job.key, job)

    def begin(self) -> None:
        """Begin with everything that was added."""
        for kind, number in AT_ONCE.items():
            jobs = [job for key, job in self._jobs.items() if key[0] == kind]
            self._threads += [Thread(target=self._work, args=(jobs,), daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def get(self, key: Key) -> Any:  # noqa: ANN401 (what the job makes)
        """Return what was added under `key`, or raise what its making has raised; show meanwhile how far all is."""
        job = self._jobs[key]
        while not job.made.done():
            self._show()
        return job.made.result()

    def obtain(self, job: Job, progress: Callable[..., None]) -> Any:  # noqa: ANN401 (what the job makes)
        """Return the same; what nobody has begun to make is made by the calling thread, even where all is paused."""
        job = self._jobs.setdefault(job.key, job)
        job.do(progress)
        return job.made.result()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let nothing be made inside: what has been begun is finished first, what has not begins afterwards."""
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
        """Do jobs one after the other, and wait while all is paused."""
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
                self._said.put("")  # whoever waits looks again

    def _say(self, title: str, message: str, done: int | None = None, total: int | None = None) -> None:
        """Hear how far a job is; here its thread learns that nobody wants it any more."""
        if self._abandoned:
            raise Abandoned
        if not done:
            self._said.put(f"{title}: {message.strip()}")

    # -- for whoever waits -------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Wait a moment for news, and show them with how many jobs are done."""
        try:
            message = self._said.get(timeout=GLANCE_S)
        except Empty:
            message = ""
        jobs = list(self._jobs.values())  # another thread may add one
        done, begun = (sum(map(how, jobs)) for how in (is_done, is_begun))
        self._display.preparing(message, done, begun, len(jobs))


def is_done(job: Job) -> bool:
    """Return whether a job is over, well or badly."""
    return job.made.done()


def is_begun(job: Job) -> bool:
    """Return whether somebody has begun a job; it may be over."""
    return job.claimed.locked()
