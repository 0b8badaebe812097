"""Rounds: whoever takes part does so in an order, while the load of the machine and its sleep are watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.load import note_load, watch_load
from rosettabench.lab.suspension import Suspension
from rosettabench.store.record import Dropped

RoundTurn = tuple[Competitor, Callable[[], None]]
"""Who takes a turn, and what it does in it."""


@dataclass(frozen=True)
class Rounds:
    """Gives the rounds of a contest."""

    contest: LiveContest

    def give(self, number: int, turns: Iterable[RoundTurn]) -> bool:
        """Let competitors take their turns, in this order; return whether the round counts.

        Those who have left take none. A round in which the machine slept does not count. What others computed meanwhile
        is written down.
        """
        suspension = Suspension()
        load = watch_load(self.contest.present, self.contest.work.setting.threads)
        for competitor, turn in turns:
            if competitor.out is None:
                with competitor.stage("turn"):
                    turn()
        note_load(self.contest.journal, number, load)
        if suspension.seconds:
            self._drop(number, suspension.sentence)
        return not suspension.seconds

    def _drop(self, number: int, why: str) -> None:
        """Leave a round out of the statistics; its blocks stay in the store."""
        self.contest.display.tell(f"round {number} does not count: {why}")
        self.contest.journal.event(Dropped(round=number, why=why))
