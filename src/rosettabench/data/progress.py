"""How long work tells what it is doing."""

from __future__ import annotations

from typing import Protocol


class DataProgress(Protocol):
    """Hears what is being done, in words, and how far it has come: `done` of `total`, in whatever unit it counts.

    `total` is None where nobody knows it, and both are None for a step that counts nothing.
    """

    def __call__(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Take one report; many may come in a second, so be quick."""


def silent(message: str, done: int | None = None, total: int | None = None) -> None:
    """Tell nobody: the progress of somebody who does not ask."""
