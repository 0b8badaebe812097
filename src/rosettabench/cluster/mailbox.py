"""The mailbox: an actor of Ray beside the controller, to which nodes send rows and say what they are doing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

Rows = list[tuple[str, str]]
"""(attempt, row as JSON), in the order of their arrival."""

Remarks = list[tuple[str, str, bool]]
"""(attempt, what it does or tells, whether that is to stay on the screen)."""


class Mailbox:
    """Holds rows until the controller has stored them. Only then does `put` return: a row is never lost in between."""

    def __init__(self) -> None:
        """Begin empty. Ray runs all methods in one event loop, so they need no lock."""
        self._waiting: list[tuple[str, str, asyncio.Future[bool]]] = []
        self._taken: list[asyncio.Future[bool]] = []
        self._said: Remarks = []
        self._news = asyncio.Event()

    async def put(self, attempt: str, row: str) -> bool:
        """Hand in a row; return, when it is in the user's store, True. False: this attempt does not count any more."""
        stored: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((attempt, row, stored))
        self._news.set()
        return await stored

    async def say(self, attempt: str, words: str, lasting: bool) -> None:
        """Say what an attempt does."""
        self._said.append((attempt, words, lasting))
        self._news.set()

    async def take(self, stored: Sequence[bool], seconds: float) -> tuple[Rows, Remarks]:
        """Return what came since the last call; wait up to `seconds` for it.

        `stored` says of each row of the last call whether it is in the user's store now.
        """
        for future, is_stored in zip(self._taken, stored, strict=True):
            if not future.done():  # the node that sent it may have died
                future.set_result(is_stored)
        if not self._waiting and not self._said:
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        rows = [(attempt, row) for attempt, row, _ in self._waiting]
        self._taken = [future for _, _, future in self._waiting]
        said, self._waiting, self._said = self._said, [], []
        return rows, said
