"""The rounds of each process in a contest, and the looks: the points at which the contest may end.

Each contender is restarted for each of a fixed number of processes, which share the fewest rounds evenly. Then comes
the first look. If it leaves a pair undecided, as many fresh processes share the rounds up to the most, followed by the
second look. If the stopping rule has a single look, the processes before it share all rounds. With one process, there
is a look after every round.
"""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.catalogue.suite import Stopping
from rosettabench.statistics.spread import FEWEST_IN_SESSION


@dataclass(frozen=True)
class Schedule:
    """The processes of a contest, counted from 1, and their shares of its rounds and time."""

    stopping: Stopping

    @property
    def processes(self) -> int:
        """The most processes that the contest may use."""
        fewest, most = self.stopping.rounds
        several = self.stopping.processes > 1 and most > fewest
        return self.stopping.processes * (self.stopping.looks if several else 1)

    def upto(self, process: int) -> int:
        """Return the number of rounds of the contest when this process has had its share."""
        fewest, most = self.stopping.rounds
        if self.processes == self.stopping.processes:
            return most * process // self.processes
        looked, place = divmod(process - 1, self.stopping.processes)
        before, after = (0, fewest) if looked == 0 else (fewest, most)
        return before + (after - before) * (place + 1) // self.stopping.processes

    def seconds(self, process: int) -> float:
        """Return the measuring time of the contest in seconds when this process has had its share."""
        return self.stopping.seconds * process / self.processes

    def least(self, process: int, done: int) -> int:
        """Return the rounds of the contest before which a process does not end; it starts after `done` rounds.

        Even a process that the time limit cuts short then contributes to the spread within processes.
        """
        if self.processes == 1:
            return self.stopping.rounds[0]
        return min(done + FEWEST_IN_SESSION, max(done, self.upto(process)))

    def looks_after(self, process: int) -> bool:
        """Return whether there is a look after this process."""
        return process % self.stopping.processes == 0

    def processes_left(self, done: int) -> list[int]:
        """Return the processes that a contest of `done` rounds still needs.

        They include the process whose look has had no effect yet, and always the last one.
        """
        *earlier, last = range(1, self.processes + 1)
        return [*(one for one in earlier if done < self.upto(one) + self.looks_after(one)), last]
