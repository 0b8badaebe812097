"""Which process gives which rounds, and after which of them a contest may end.

Everybody is started afresh for each of a fixed number of processes, which share the fewest rounds evenly: the first
look. Where it leaves a pair open, as many fresh processes again share the rounds up to the most: the second look. With
one process the contest looks after every round.
"""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.catalogue.suite import Stopping
from rosettabench.statistics.ranking import LOOKS
from rosettabench.statistics.spread import FEWEST_IN_SESSION


@dataclass(frozen=True)
class Schedule:
    """The processes of a contest, counted from 1, and their shares of its rounds and of its time."""

    stopping: Stopping

    @property
    def processes(self) -> int:
        """How many there are at most."""
        fewest, most = self.stopping.rounds
        several = self.stopping.processes > 1 and most > fewest
        return self.stopping.processes * (LOOKS if several else 1)

    def upto(self, process: int) -> int:
        """Return how many rounds the contest has when this process has had its share."""
        fewest, most = self.stopping.rounds
        if self.processes == 1:
            return most
        looked, place = divmod(process - 1, self.stopping.processes)
        before, after = (0, fewest) if looked == 0 else (fewest, most)
        return before + (after - before) * (place + 1) // self.stopping.processes

    def seconds(self, process: int) -> float:
        """Return how long the contest may have measured when this process has had its share."""
        return self.stopping.seconds * process / self.processes

    def least(self, process: int, done: int) -> int:
        """Return the rounds of the contest before which a process that finds `done` of them does not end.

        What is cut short by the clock still says something of the spread within the process.
        """
        if self.processes == 1:
            return self.stopping.rounds[0]
        return min(done + FEWEST_IN_SESSION, max(done, self.upto(process)))

    def looks_after(self, process: int) -> bool:
        """Whether the contest may end with this process because it is sure enough."""
        return process % self.stopping.processes == 0

    def processes_left(self, done: int) -> list[int]:
        """Return the processes that a contest of `done` rounds still needs.

        Among them is the one whose look has not been acted upon, and always the last.
        """
        *earlier, last = range(1, self.processes + 1)
        return [*(one for one in earlier if done < self.upto(one) + self.looks_after(one)), last]
