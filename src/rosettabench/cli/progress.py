"""The display of a run in a terminal: one line that moves, and what is worth keeping above it.

It draws only when it is told something, which is between turns: a display that drew by itself would compete with the
workers for the processors.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rosettabench.lab.display import Display
from rosettabench.plan.duration import duration_words

if TYPE_CHECKING:
    from rich.progress import Progress

    from rosettabench.statistics.verdict import Verdict


def display() -> Display:
    """Return the display for standard error: moving in a terminal, plain lines elsewhere."""
    return Moving() if sys.stderr.isatty() else Plain()


class Plain:
    """A display for files and pipes: a line for each thing that begins or ends."""

    def __enter__(self) -> Self:
        """Begin."""
        self._start = self._began = monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def contest(self, title: str, number: int, of: int) -> None:
        """Print a heading, and how long the rest will take as far as one can tell."""
        if number == 1:
            self._began = monotonic()
        self._print(f"[{number}/{of}] {title}{time_left(monotonic() - self._began, number, of)}")

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Print what begins; nothing for what merely goes on."""
        if not done:
            self._print(f"  {message}")

    def turns(self, rounds: int, most: int, seconds_left: float, verdicts: Sequence[Verdict]) -> None:
        """Print every tenth round."""
        if rounds % 10 == 0:
            self._print(f"  round {rounds}{f' of at most {most}' if most else ''}")

    def told(self, what: str) -> None:
        """Print it."""
        self._print(f"  * {what}")

    def _print(self, text: str) -> None:
        sys.stderr.write(f"{monotonic() - self._start:7.1f} s {text}\n")
        sys.stderr.flush()


class Moving:
    """A display for a terminal: contests done and time left below, what is happening beside a bar."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        """Take the last lines of the terminal."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(24), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
        self._progress.start()
        self._bar = self._progress.add_task("preparing", total=None)
        self._heading, self._left, self._began = "", "", monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the terminal back."""
        if self._progress is not None:
            self._progress.stop()

    def contest(self, title: str, number: int, of: int) -> None:
        """Begin a contest, and say how long the rest will take as far as one can tell."""
        if number == 1:
            self._began = monotonic()
        self._left = time_left(monotonic() - self._began, number, of)
        self._heading = f"[{number}/{of}] {title}"
        self.doing("preparing")

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Show what is being done, with a bar where it is known how much there is."""
        self._show(message, done, total)

    def turns(self, rounds: int, most: int, seconds_left: float, verdicts: Sequence[Verdict]) -> None:
        """Show the rounds."""
        if most:
            self._show(f"round {rounds} of at most {most}, {seconds_left:.0f} s at most", rounds, most)
        else:
            self._show(f"round {rounds}", None, None)

    def told(self, what: str) -> None:
        """Print it above the bar, where it stays."""
        assert self._progress is not None
        self._progress.console.print(what, markup=False, highlight=False)

    def _show(self, message: str, done: int | None, total: int | None) -> None:
        assert self._progress is not None
        description = f"{self._heading} · {message}{self._left}"
        self._progress.update(self._bar, description=description, completed=done or 0, total=total)
        self._progress.refresh()


def time_left(spent: float, number: int, of: int) -> str:
    """Return how long a run goes on, judged by the contests before this one; before the first the plan has said it."""
    if number == 1:
        return ""
    return f" · about {duration_words(spent / (number - 1) * (of - number + 1))} left"
