"""Progress reports of long work."""

from __future__ import annotations

from typing import Protocol


class DataProgress(Protocol):
    """A receiver of progress: what is being done, in words, and `done` of `total` in any unit.

    `total` is None if it is unknown. Both are None for a step that counts nothing.
    """

    def __call__(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Receive one report. Many may arrive in a second, so return quickly."""


def silent(message: str, done: int | None = None, total: int | None = None) -> None:
    """Ignore all progress."""
