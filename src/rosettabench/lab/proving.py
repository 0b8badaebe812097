"""Proofs without a measurement: several run at the same time, because nothing is timed.

With two lanes, and contests 1, 2, … of contenders a, b, c, …::

    lane 0    reference 1    1b    1d     reference 3    2b    …
    lane 1    reference 2    1a    1c     1e     2a      2c    …

A reference is made one contest ahead, so that no proof waits for it. Each proof has the processors of its lane, as long
as there are enough; a reference may use all, since its own workers compute side by side. Cells of one engine are not
proven at the same time if others are left: some engines cache compiled programs, and the second cell can reuse those of
the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from math import inf
from queue import SimpleQueue
from threading import Lock
from time import monotonic

from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.display import Display
from rosettabench.lab.lanes import Lanes
from rosettabench.resources.processors import confine_children, lane_processors


class Proving:
    """Proves every competitor of several contests, `jobs` at a time; calls `finish` with each contest that is done."""

    def __init__(
        self,
        contests: Sequence[LiveContest],
        titles: Sequence[str],
        jobs: int,
        display: Display,
        finish: Callable[[LiveContest], None],
        end: float = inf,
    ) -> None:
        """Prove nothing before `run`. `titles` are the unique names of the contests for the display.

        After the time `end` of the monotonic clock no proof begins, and a contest that lacks one is not done.
        """
        self._contests = contests
        self._titles = titles
        self._display = display
        self._finish = finish
        self._lanes = Lanes(jobs, [one for contest in contests for one in contest.present])
        self._free: SimpleQueue[int] = SimpleQueue()
        for lane in range(jobs):
            self._free.put(lane)
        self._telling = Lock()
        self._end = end
        self._done = 0
        self._cells = sum(len(contest.present) for contest in contests)

    def run(self) -> None:
        """Prove all competitors. Ctrl-C ends every worker at once, and is raised again."""
        with self._lanes:
            cells = self._submit()
            for number, (contest, own) in enumerate(zip(self._contests, cells, strict=True)):
                with self._telling:
                    self._display.contest(self._titles[number], number + 1, len(cells))
                done = [cell.result() for cell in own]
                if all(done):
                    self._finish(contest)

    def _submit(self) -> list[list[Future[bool]]]:
        """Submit everything in order: each reference goes before the contenders of the preceding contest."""
        cells = []
        for contest in self._contests[:1]:
            self._lanes.submit(self._refer, contest)
        for number, (contest, title) in enumerate(zip(self._contests, self._titles, strict=True), start=1):
            for following in self._contests[number : number + 1]:
                self._lanes.submit(self._refer, following)
            ordered = by_engines(contest.present)
            cells.append([self._lanes.submit(self._prove, contest, title, one) for one in ordered])
        return cells

    @contextmanager
    def _lane(self, contest: LiveContest) -> Iterator[None]:
        """Lend the processors of a free lane; workers inherit them."""
        lane = self._free.get()
        try:
            with confine_children(lane_processors(contest.work.setting.cores, lane)):
                yield
        finally:
            self._free.put(lane)

    def _refer(self, contest: LiveContest) -> None:
        """Make a contest's reference before it is needed, if there is time left."""
        if monotonic() < self._end:
            contest.refer()

    def _prove(self, contest: LiveContest, title: str, competitor: Competitor) -> bool:
        """Prove one competitor, if there is time left; return whether there was."""
        start = monotonic()
        if start >= self._end:
            return False
        with self._lane(contest):
            failure = contest.prove(competitor)
        with self._telling:
            if self._lanes.stopped.is_set():
                return True
            self._done += 1
            self._display.doing("proving", self._done, self._cells)
            outcome = "proven" if failure is None else f"not proven: {failure.what}"
            self._display.tell(f"{title} · {competitor.label}: {outcome} ({monotonic() - start:.0f} s)")
        return True


def by_engines(competitors: Sequence[Competitor]) -> list[Competitor]:
    """Return competitors in the order of their proofs: first one cell of each engine, then the second of each, ….

    The engine is the framework, or the back end that it computes with: Keras on JAX compiles many of the programs that
    JAX compiles for the same workload.
    """
    cells: Counter[str] = Counter()
    ordered = []
    for one in competitors:
        engine = one.contender.entry.backend or one.contender.framework
        ordered.append((cells[engine], one))
        cells[engine] += 1
    return [one for _, one in sorted(ordered, key=lambda placed: placed[0])]
