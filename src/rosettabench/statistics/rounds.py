"""Combine timed blocks into rounds: the unit of all statistics is a contender's time in one complete round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

TURNS = 4
"""Default number of turns of each contender in a round: two in a random order and its reverse (A B C, C B A), two in
another (B A C, C A B).

Each contender precedes every other as often as it follows it, and each pair is measured symmetrically around one
moment. So a machine that steadily gets slower within a round favours no contender.
"""


Rounds = Mapping[int, float]
"""Round → seconds per step, of one contender."""

Processes = Mapping[int, int]
"""Round → the process it was measured in, counted from 1: all contenders start new processes together."""


SHORTEST_S, LONGEST_S = 1e-9, 1e9
"""The unit of the clocks, and thirty years: no working clock measures a time outside."""


class Timed(Protocol):
    """A block as the store keeps it: `steps` steps that took `elapsed_s` seconds in round `round`."""

    @property
    def round(self) -> int:
        """Number of the round."""

    @property
    def session(self) -> int:
        """The process of its contender, counted from 1."""

    @property
    def steps(self) -> int:
        """Optimiser steps."""

    @property
    def elapsed_s(self) -> float:
        """Seconds."""


def seconds_per_step(
    turns: Iterable[Timed], dropped: Collection[int] = (), whole: int | None = None
) -> dict[int, float]:
    """Return {round: seconds per step} of one contender, over the rounds in which it had all its turns.

    A complete round has `whole` turns; if that is not known, as many as the fullest one. `dropped` are the rounds that
    do not count because something outside the contenders disturbed them.
    """
    rounds: dict[int, list[Timed]] = defaultdict(list)
    for turn in turns:
        rounds[turn.round].append(turn)
    whole = whole or max(map(len, rounds.values()), default=0)
    return {
        number: sum(turn.elapsed_s for turn in found) / sum(turn.steps for turn in found)
        for number, found in rounds.items()
        if len(found) == whole and number not in dropped
    }


def most_turns(contenders: Iterable[Iterable[Timed]]) -> int:
    """Return the number of turns in the fullest round of any contender; 0 without one.

    A short training has fewer turns in a round than were asked for, and all contenders have as few.
    """
    return max((count for turns in contenders for count in Counter(turn.round for turn in turns).values()), default=0)


def process_of_round(turns: Iterable[Timed]) -> dict[int, int]:
    """Return {round: process} from the blocks of all contenders."""
    found: dict[int, int] = {}
    for turn in turns:
        found[turn.round] = max(turn.session, found.get(turn.round, 0))
    return found


def by_process(rounds: Rounds, processes: Processes) -> dict[int, dict[int, float]]:
    """Return {process: {round: seconds per step}}, without rounds whose process is not known."""
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for number, seconds in rounds.items():
        if number in processes:
            found[processes[number]][number] = seconds
    return found


def ratios(a: Rounds, b: Rounds) -> list[float]:
    """Return b's time over a's for each common round, in the order of rounds.

    Rounds with an impossible time are left out; oddities.py reports them.
    """
    common = sorted(a.keys() & b.keys())
    return [b[number] / a[number] for number in common if possible(a[number]) and possible(b[number])]


def possible(seconds: float) -> bool:
    """Return whether a working clock can measure this time of a step."""
    return SHORTEST_S <= seconds <= LONGEST_S
