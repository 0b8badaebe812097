"""Run rounds: competitors take turns in a given order, while the load and the sleep of the machine are watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.load import note_load, watch_load
from rosettabench.lab.suspension import Suspension
from rosettabench.store.record import Dropped, FailureStage

RoundTurn = tuple[Competitor, Callable[[], None]]
"""A competitor, and what it does in its turn."""


def take_turns(turns: Iterable[RoundTurn]) -> None:
    """Let competitors take their turns in this order. Those that left are passed over."""
    for competitor, turn in turns:
        if competitor.out is None:
            with competitor.stage(FailureStage.TURN):
                turn()


@dataclass(frozen=True)
class Rounds:
    """Runs the rounds of a contest."""

    contest: LiveContest

    def give(self, number: int, turns: Iterable[RoundTurn]) -> bool:
        """Let competitors take their turns in this order; store the load meanwhile; return whether the round counts.

        A round in which the machine slept does not count.
        """
        suspension = Suspension()
        load = watch_load(self.contest.sessions, self.contest.work.setting.cores)
        take_turns(turns)
        note_load(self.contest.journal, number, load)
        if suspension.seconds:
            self._drop(number, suspension.sentence)
        return not suspension.seconds

    def _drop(self, number: int, why: str) -> None:
        """Exclude a round from the statistics; its blocks stay in the store."""
        self.contest.display.tell(f"round {number} does not count: {why}")
        self.contest.journal.event(Dropped(round=number, why=why))
