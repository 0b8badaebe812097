"""What a run tells while it works. The command line shows it; tests and programs may keep silent."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from rosettabench.statistics.verdict import Verdict


class Display(Protocol):
    """Receives what happens. It is called between turns only, so that drawing disturbs no measurement.

    It is a context manager around the work that it shows.
    """

    def __enter__(self) -> Self:
        """Begin to show."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""

    def contest(self, title: str, number: int, of: int) -> None:
        """Contest `number` of `of` begins."""

    def expect(self, seconds: float | None) -> None:
        """From now on it takes so long at most until all is done; None: nobody knows."""

    def preparing(self, message: str, done: int, begun: int, total: int) -> None:
        """Of all data sets and environments so many are done, or begun; `message` is what is new, if anything is."""

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Something that takes a while begins, or goes on."""

    def turns(self, rounds: int, most: int, verdicts: Sequence[Verdict]) -> None:
        """A round is over, the last of so many; there are `most` of them, 0 where nobody knows."""

    def tell(self, what: str) -> None:
        """Something worth keeping on the screen: a proof, a failure, a stand-in."""


class Silent:
    """A display that shows nothing."""

    def __enter__(self) -> Self:
        """Begin to show nothing."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

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

    def tell(self, what: str) -> None:
        """Show nothing."""
