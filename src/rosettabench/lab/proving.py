"""Proofs alone: several at the same time, which is allowed because nothing of them is timed.

With two lanes, and contests 1, 2, … of contenders a, b, c, …::

    lane 0    reference 1    1b    1d     reference 3    2b    …
    lane 1    reference 2    1a    1c     1e     2a      2c    …

A reference is made one contest ahead, so that nobody waits for it. Each lane has processors of its own, as long as
there are enough of them. What computes with the same engine is not proven side by side, as far as others are left to
prove: what two of its cells compile alike, some engines keep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from math import inf
from queue import SimpleQueue
from threading import Event, Lock
from time import monotonic

from rosettabench.client.process import interrupt_all
from rosettabench.errors import ProofError
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.display import Display
from rosettabench.resources.processors import confine_children, lane_processors


class Proving:
    """Proves every competitor of several contests, `jobs` at a time. `finish` is called with each that is done.

    `titles` names the contests, each once, for the display. From the time `end` of the monotonic clock on, no
    proof is begun, and a contest that lacks one is not done.
    """

    def __init__(
        self,
        contests: Sequence[LiveContest],
        titles: Sequence[str],
        jobs: int,
        display: Display,
        finish: Callable[[LiveContest], None],
        end: float = inf,
    ) -> None:
        self._contests = contests
        self._titles = titles
        self._display = display
        self._finish = finish
        self._executor = ThreadPoolExecutor(jobs)
        self._lanes: SimpleQueue[int] = SimpleQueue()
        for lane in range(jobs):
            self._lanes.put(lane)
        self._telling = Lock()
        self._stopping = Event()
        self._end = end
        self._done = 0
        self._cells = sum(len(contest.present) for contest in contests)

    def run(self) -> None:
        """Prove all of them. Ctrl-C ends every worker at once, and is raised again."""
        with self._executor:
            try:
                cells = self._submit()
                for number, (contest, own) in enumerate(zip(self._contests, cells, strict=True)):
                    with self._telling:
                        self._display.contest(self._titles[number], number + 1, len(cells))
                    done = [cell.result() for cell in own]
                    if all(done):
                        self._finish(contest)
            except BaseException:
                self._abandon()
                raise

    def _submit(self) -> list[list[Future[bool]]]:
        """Put everything on its way, in order: each reference before the contenders of the contest before its own."""
        cells = []
        for contest in self._contests[:1]:
            self._executor.submit(self._refer, contest)
        for number, (contest, title) in enumerate(zip(self._contests, self._titles, strict=True), start=1):
            for following in self._contests[number : number + 1]:
                self._executor.submit(self._refer, following)
            ordered = by_engines(contest.present)
            cells.append([self._executor.submit(self._prove, contest, title, one) for one in ordered])
        return cells

    @contextmanager
    def _lane(self, contest: LiveContest) -> Iterator[None]:
        """Lend the processors of a lane that is free; workers inherit them."""
        lane = self._lanes.get()
        try:
            with confine_children(lane_processors(contest.work.setting.threads, lane)):
                yield
        finally:
            self._lanes.put(lane)

    def _refer(self, contest: LiveContest) -> None:
        """Make a contest's reference before it is needed. Whoever needs one that cannot be made is told why."""
        if monotonic() < self._end and any(contest.registrar.find_certificate(one) is None for one in contest.present):
            with self._lane(contest), suppress(ProofError):
                contest.registrar.reference()

    def _prove(self, contest: LiveContest, title: str, competitor: Competitor) -> bool:
        """Prove one competitor, if there is time; return whether there was."""
        start = monotonic()
        if start >= self._end:
            return False
        with self._lane(contest):
            failure = contest.prove(competitor)
        with self._telling:
            if self._stopping.is_set():
                return True
            self._done += 1
            self._display.doing("proving", self._done, self._cells)
            outcome = "proven" if failure is None else f"not proven: {failure.what}"
            self._display.tell(f"{title} · {competitor.label}: {outcome} ({monotonic() - start:.0f} s)")
        return True

    def _abandon(self) -> None:
        """Begin nothing more, and end every worker."""
        self._stopping.set()
        self._executor.shutdown(wait=False, cancel_futures=True)
        for contest in self._contests:
            for competitor in contest.present:
                competitor.abandon()
        interrupt_all()


def by_engines(competitors: Sequence[Competitor]) -> list[Competitor]:
    """Return competitors in the order in which they are proven: of each engine the first of its cells, then the second.

    A framework is an engine, and so is the back end that another one computes with: Keras on JAX asks XLA for many of
    the programs that JAX in the same workload has asked it for.
    """
    cells: Counter[str] = Counter()
    ordered = []
    for one in competitors:
        engine = one.contender.entry.backend or one.contender.framework
        ordered.append((cells[engine], one))
        cells[engine] += 1
    return [one for _, one in sorted(ordered, key=lambda placed: placed[0])]
