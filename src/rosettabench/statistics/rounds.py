"""From timed turns to rounds: the unit of all statistics is what a contender took in one whole round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Protocol

TURNS = 2
"""Turns of each contender in a round: one in a random order, one in the reverse of it (A B C, C B A).

Every pair is then measured on both sides of the same moment, so a machine that steadily gets slower within a round
favours nobody; and each contender precedes every other as often as it follows it.
"""


class Timed(Protocol):
    """A turn as the store keeps it: `steps` optimiser steps that took `elapsed_s` seconds in round `round`."""

    @property
    def round(self) -> int:
        """Number of the round."""

    @property
    def steps(self) -> int:
        """Optimiser steps."""

    @property
    def elapsed_s(self) -> float:
        """Seconds."""


def seconds_per_step(turns: Iterable[Timed], dropped: Collection[int] = ()) -> dict[int, float]:
    """Return {round: seconds per step} of one contender, over the rounds in which it had all its turns.

    `dropped` are the rounds that do not count: something that is not the contenders' doing happened in them.
    """
    rounds: dict[int, list[Timed]] = defaultdict(list)
    for turn in turns:
        rounds[turn.round].append(turn)
    return {
        number: sum(turn.elapsed_s for turn in found) / sum(turn.steps for turn in found)
        for number, found in rounds.items()
        if len(found) == TURNS and number not in dropped
    }
