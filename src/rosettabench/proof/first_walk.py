"""The reference's walk in float64, while it is taken: what measures the noise beside it waits for what it needs."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

from rosettabench.client.session import Session
from rosettabench.proof.comparison import Exact
from rosettabench.proof.margins import Chooser
from rosettabench.proof.walk import Files, Unguided


@dataclass(frozen=True)
class Evaluation:
    """Logits of the first test samples after the last step, and how many are right, where a sample has one class."""

    files: Files
    samples: int
    correct: int | None
    outputs: tuple[str, ...] = ()


class StepsOfWalk(Protocol):
    """The steps of the reference: a list of them, or a walk that is still going on."""

    def __getitem__(self, number: int, /) -> Exact:
        """Return a step."""


@dataclass(frozen=True)
class WalkEnd:
    """What is known when the walk is over.

    `guide`, `chooser` and `unguided` are None for a proof that is not guided; `chooser` also for one without a margin.
    """

    evaluation: Evaluation
    guide: list[Files] | None
    chooser: Chooser | None
    unguided: Unguided | None


class FirstWalk:
    """The steps of a walk of `count` steps, and its ending. Asking for one that is not there yet waits for it.

    If the walk fails, everyone who waits gets its error, and the `beside` sessions are ended.
    """

    def __init__(self, count: int) -> None:
        """Begin with no step taken. One thread hands in results with `take`, `end` or `fail`; others wait for them."""
        self._steps: list[Future[Exact]] = [Future() for _ in range(count)]
        self._ending: Future[WalkEnd] = Future()
        self.beside: list[Session] = []
        """The sessions of lower precision that walk beside it."""
        self.chooser_free = Lock()
        """Held by the session to which the chooser of the batches hands them on: one at a time."""

    def take(self, step: Exact) -> None:
        """Note a step that is taken."""
        self._steps[step.step].set_result(step)

    def end(self, ending: WalkEnd) -> None:
        """Note that the walk is over."""
        self._ending.set_result(ending)

    def fail(self, error: BaseException) -> None:
        """Note that it ends with an error."""
        futures: list[Future[Any]] = [*self._steps, self._ending]
        for future in futures:
            if not future.done():
                future.set_exception(error)
        for session in self.beside:
            session.process.kill()

    def __getitem__(self, number: int, /) -> Exact:
        """Return a step."""
        return self._steps[number].result()

    @property
    def steps(self) -> list[Exact]:
        """All steps."""
        return [future.result() for future in self._steps]

    @property
    def ending(self) -> WalkEnd:
        """The ending."""
        return self._ending.result()
