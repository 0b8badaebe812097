"""The display of a run in a terminal: one updating line, with lasting lines above it.

It draws only when it receives a report, which is between blocks. A display that refreshes itself would compete with the
workers for the processors.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rosettabench.lab.display import Display
from rosettabench.plan.time_left import TimeLeft

if TYPE_CHECKING:
    from rich.progress import Progress

    from rosettabench.statistics.verdict import Verdict


def display() -> Display:
    """Return the display for standard error: updating in a terminal, plain lines elsewhere."""
    return Moving() if sys.stderr.isatty() else PlainDisplay()


class PlainDisplay:
    """A display for files and pipes: one line for each thing that begins or ends."""

    def __enter__(self) -> Self:
        """Start the display."""
        self._start, self._left, self._last = monotonic(), TimeLeft(), ""
        return self

    def __exit__(self, *_: object) -> None:
        """End the display."""

    def contest(self, title: str, number: int, of: int) -> None:
        """Print a heading, with the most time that the rest takes, if known."""
        self._print(" · ".join(filter(None, (f"[{number}/{of}] {title}", self._left.words))))

    def expect(self, seconds: float | None) -> None:
        """Keep the most seconds that the rest takes for the next heading."""
        self._left.expect(seconds)

    def preparing(self, message: str, done: int, begun: int, total: int) -> None:
        """Print new preparations."""
        if message:
            self._print(f"  {message}")

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Print a new activity; nothing for the progress of a known one."""
        if message != self._last:
            self._last = message
            self._print(f"  {message}")

    def turns(self, rounds: int, most: int, verdicts: Sequence[Verdict]) -> None:
        """Print every tenth round."""
        if rounds % 10 == 0:
            self._print(f"  round {rounds}{f' of at most {most}' if most else ''}")

    def several(self, activities: Sequence[str], done: int, total: int) -> None:
        """Print how many contests have ended, when one more has."""
        self.doing(f"{done} of {total} contests done")

    def tell(self, what: str) -> None:
        """Print a message."""
        self._print(f"  * {what}")

    def _print(self, text: str) -> None:
        """Print a line with the time since the start."""
        sys.stderr.write(f"{monotonic() - self._start:7.1f} s {text}\n")
        sys.stderr.flush()


class Moving:
    """A display for a terminal: the current activity with a bar, then finished contests and the time left."""

    def __init__(self) -> None:
        """Draw nothing yet: entering the context begins the display."""
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        """Reserve the last lines of the terminal."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        line = Column(ratio=1, no_wrap=True, overflow="ellipsis")  # a text that is too long is cut, not the bar
        columns = (
            TextColumn("{task.description}", markup=False, table_column=line),
            BarColumn(24),
            TimeElapsedColumn(),
        )
        console = Console(stderr=True)
        self._progress = Progress(*columns, console=console, auto_refresh=False, transient=True, expand=True)
        self._progress.start()
        self._bar = self._progress.add_task("preparing", total=None)
        self._heading, self._message, self._left = "", "", TimeLeft()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the terminal."""
        if self._progress is not None:
            self._progress.stop()

    def contest(self, title: str, number: int, of: int) -> None:
        """Show the beginning of a contest."""
        self._heading = f"[{number}/{of}] {title}"
        self.doing("preparing")

    def expect(self, seconds: float | None) -> None:
        """Keep the most seconds that the rest takes for the next update."""
        self._left.expect(seconds)

    def preparing(self, message: str, done: int, begun: int, total: int) -> None:
        """Show the share that is prepared; what has begun counts half."""
        self._message = message or self._message
        self._show(f"prepared {done} of {total} · {self._message}", (done + begun) / 2, total)

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Show the current activity, with a bar if the total is known."""
        self._show(message, done, total)

    def turns(self, rounds: int, most: int, verdicts: Sequence[Verdict]) -> None:
        """Show the number of rounds."""
        if most:
            self._show(f"round {rounds} of at most {most}", rounds, most)
        else:
            self._show(f"round {rounds}", None, None)

    def several(self, activities: Sequence[str], done: int, total: int) -> None:
        """Show what all machines do, and the share of the contests that have ended."""
        self._heading = ""
        self._show(" · ".join([f"{done} of {total} contests done", *activities]), done, total)

    def tell(self, what: str) -> None:
        """Print a message above the bar, where it stays."""
        assert self._progress is not None
        self._progress.console.print(what, markup=False, highlight=False)

    def _show(self, message: str, done: float | None, total: int | None) -> None:
        """Show the current activity and its progress."""
        assert self._progress is not None
        description = " · ".join(filter(None, (self._heading, self._left.words, message)))
        self._progress.update(self._bar, description=description, completed=done or 0, total=total)
        self._progress.refresh()
