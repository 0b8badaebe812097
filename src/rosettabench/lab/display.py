"""The interface through which a run reports its progress. The command line shows it; tests may stay silent."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from rosettabench.statistics.verdict import Verdict


class Display(Protocol):
    """Shows what happens in a run. It is called only between blocks, so that drawing disturbs no measurement.

    It is a context manager around the work that it shows.
    """

    def __enter__(self) -> Self:
        """Start the display."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the display."""

    def contest(self, title: str, number: int, of: int) -> None:
        """Show that contest `number` of `of` begins."""

    def expect(self, seconds: float | None) -> None:
        """Show the longest time until everything is done; None: not known."""

    def preparing(self, message: str, done: int, begun: int, total: int) -> None:
        """Show how many of the `total` data sets and environments are done, or begun. `message`: the news, or empty."""

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Show that a longer piece of work begins or goes on."""

    def turns(self, rounds: int, most: int, verdicts: Sequence[Verdict]) -> None:
        """Show that `rounds` rounds of at most `most` are over; `most` is 0 if not known."""

    def several(self, activities: Sequence[str], done: int, total: int) -> None:
        """Show what contests on several machines do at the same time; `done` of `total` have ended."""

    def tell(self, what: str) -> None:
        """Show a message that stays on the screen: a proof, a failure, a stand-in."""


class Silent:
    """A display that shows nothing."""

    def __enter__(self) -> Self:
        """Show nothing."""
        return self

    def __exit__(self, *_: object) -> None:
        """Show nothing."""

    def contest(self, title: str, number: int, of: int) -> None:
        """Show nothing."""

    def expect(self, seconds: float | None) -> None:
        """Show nothing."""

    def preparing(self, message: str, done: int, begun: int, total: int) -> None:
        """Show nothing."""

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Show nothing."""

    def turns(self, rounds: int, most: int, verdicts: Sequence[Verdict]) -> None:
        """Show nothing."""

    def several(self, activities: Sequence[str], done: int, total: int) -> None:
        """Show nothing."""

    def tell(self, what: str) -> None:
        """Show nothing."""
