"""Conduct a run from its plan to the last row in the store, or resume an interrupted one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic

from rosettabench.client.machine import describe_machine, kept_programs
from rosettabench.errors import StoreError, UsageError
from rosettabench.lab.arrangement import Arranger
from rosettabench.lab.budget_clock import BudgetClock
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.display import Display
from rosettabench.lab.jobs import Jobs
from rosettabench.lab.journal import Journal
from rosettabench.lab.measurement import TimedContest
from rosettabench.lab.owner import at_work
from rosettabench.lab.past import read_past
from rosettabench.lab.place import settle, was_elsewhere
from rosettabench.lab.preparation import Preparation
from rosettabench.lab.proving import Proving
from rosettabench.lab.scratch import scratch_folder
from rosettabench.lab.training import FullTraining
from rosettabench.plan.duration import duration_words
from rosettabench.plan.estimate import TimeEstimate, estimate_each
from rosettabench.plan.plan import PlannedContest, at_proof, cell_key, make_plan
from rosettabench.plan.request import ContestRequest, ExplainRequest, ProveRequest, RunRequest, read_request
from rosettabench.plan.setting import Setting, distinguishing_words, with_defaults
from rosettabench.proof.register import read_register, seconds_of
from rosettabench.store.command import on_store
from rosettabench.store.record import Finished, Interrupted, Resumed, Stopped, Unbegun
from rosettabench.store.schema import Contest as ContestRow
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, events_of

BESIDE_S = 10
"""Bound of the seconds between two contests: showing the table of the first, making the folder of the next."""

Conduct = Callable[[LiveContest], Stopped]
"""A function that does what the request asks with a contest, and returns how it ended."""

LeftContest = tuple[PlannedContest, ContestRow]
"""A contest that is not done yet."""


def measure_or_train(contest: LiveContest) -> Stopped:
    """Train the stated epochs if the request asks for it; else measure until the times are known well enough."""
    try:
        return (FullTraining if contest.request.trains_fully else TimedContest)(contest).run()
    finally:
        contest.leave()


@dataclass
class Laboratory:
    """Conducts runs, with a store, a cache and a display."""

    store: Store
    cache: Path
    display: Display

    def go_on(
        self,
        run: Run,
        conduct: Conduct = measure_or_train,
        ended: Callable[[ContestRow], None] = lambda row: None,
    ) -> None:
        """Do what is left of a run: conduct its contests, or only prove if it asks for proofs alone.

        `ended` is called after each contest but the last. Ctrl-C is stored and raised again. As-shipped trainings
        follow elsewhere; a run that has them is not marked as finished here.
        """
        request = read_request(run.request)
        if not isinstance(request, ContestRequest):
            raise UsageError(f"run {run.id} has no contest to continue", f"Repeat it: {' '.join(run.command)}")
        left = left_contests(run, request)
        trains = isinstance(request, RunRequest) and request.shipped is not None
        if not left and not trains:
            raise UsageError(f"run {run.id} is finished", "rosetta report shows it; rosetta run makes another.")
        with at_work(self.store, run, self.cache, self.display.tell):
            run, left = self._settle_contests(run, request, left)
            try:
                self._do_left(run, request, left, conduct, ended)
            except KeyboardInterrupt:
                Journal(self.store, run.id).event(Interrupted())
                raise
            if not trains:
                Journal(self.store, run.id).event(Finished())

    def measure_one(
        self, run: Run, row: ContestRow, data_dir: Path | None, conduct: Conduct = measure_or_train
    ) -> None:
        """Measure one contest of a run that another process owns. Nothing is noted about the run as a whole.

        The setting is that of `row`: by itself, this machine might choose other threads. `data_dir` is this machine's.
        """
        request = read_request(run.request)
        assert isinstance(request, ContestRequest)
        request = request.model_copy(update={"data_dir": data_dir})
        setting = Setting(**with_defaults(row.setting))
        left = [(replace(one, setting=setting), other) for one, other in left_contests(run, request) if other is row]
        with scratch_folder() as scratch, Preparation(self.display) as preparation:
            self._conduct(self._arranger(run, request, left, scratch, preparation), left, conduct, lambda row: None)

    def _settle_contests(
        self, run: Run, request: ContestRequest, left: list[LeftContest]
    ) -> tuple[Run, list[LeftContest]]:
        """Let contests begin anew that a node of another kind has begun; return the run with what was noted."""
        here = describe_machine()
        away = [row for _, row in left if was_elsewhere(run, row, here)]
        for row in away:
            settle(self.store, run, row, "", here)
        if not away:
            return run, left
        run = self.store.run(run.id)
        return run, left_contests(run, request)

    def _do_left(
        self,
        run: Run,
        request: ContestRequest,
        left: Sequence[LeftContest],
        conduct: Conduct,
        ended: Callable[[ContestRow], None],
    ) -> None:
        """Prepare and do the contests that are left."""
        with scratch_folder() as scratch, Preparation(self.display) as preparation:
            if run.events:
                Journal(self.store, run.id).event(Resumed())
            arranger = self._arranger(run, request, left, scratch, preparation)
            if isinstance(request, ProveRequest):
                self._prove(arranger, request, left)
            else:
                self._conduct(arranger, left, conduct, ended)

    def _arranger(
        self, run: Run, request: ContestRequest, left: Sequence[LeftContest], scratch: Path, preparation: Preparation
    ) -> Arranger:
        """Begin to prepare what contests need; return who arranges them."""
        jobs = Jobs(self.cache, request)
        for job in jobs.list_needs([planned for planned, _ in left]):
            preparation.add(job)
        preparation.begin()
        return Arranger(self.store, self.display, preparation, jobs, run, request, scratch)

    def _conduct(
        self,
        arranger: Arranger,
        left: Sequence[LeftContest],
        conduct: Conduct,
        ended: Callable[[ContestRow], None],
    ) -> None:
        """Conduct contests one after the other, as long as there is time.

        All data sets are checked before anything is measured. A contest begins when its own environments are made; the
        others are made between contests. The first begins even if it needs more than the budget. `ended` is called
        after each contest but the last.
        """
        request, preparation = arranger.request, arranger.preparation
        expected = estimate_each([planned for planned, _ in left], read_past(self.store, describe_machine()))
        bounds = list_bounds(request, expected)
        self._expect(preparation, bounds, BESIDE_S)
        for planned, _ in left:
            arranger.check_data(planned, len(planned.contenders))
        again = on_store("rosetta resume", self.store)
        clock = BudgetClock(request, expected)
        for number, (planned, row) in enumerate(left, start=1):
            name = title(planned, arranger.run.contests)
            seconds = clock.turns_of(number)
            if not seconds and number > 1:
                self.display.tell(f"{name}: the budget has not enough time left for it. {again} continues it")
                Journal(self.store, arranger.run.id, row.id).event(Unbegun(budget=request.time_limit))
                continue
            self.display.contest(name, number, len(left))
            contest = arranger.lasting(seconds).arrange(planned, row, planned)
            with preparation.pause_jobs():
                self._expect(preparation, bounds[number - 1 :])
                ending = conduct(contest)
            end(contest, ending)
            clock.ended(number, ending)
            if number < len(left):
                self._expect(preparation, bounds[number:], BESIDE_S)
                ended(row)

    def _prove(self, arranger: Arranger, request: ProveRequest, left: Sequence[LeftContest]) -> None:
        """Prove the competitors of all contests at the extents of their proofs, without measuring."""
        latest = monotonic() + (inf if request.budget is None else request.budget)
        extents = [at_proof(planned) for planned, _ in left]
        for planned in extents:
            arranger.check_data(planned, request.jobs)
        contests = [
            arranger.arrange(planned, row, proven) for (planned, row), proven in zip(left, extents, strict=True)
        ]
        titles = [title(planned, arranger.run.contests) for planned, _ in left]
        self._announce(contests, request.jobs)
        with kept_programs(self.cache / "compiled"):
            Proving(contests, titles, request.jobs, self.display, lambda one: end(one, one.proven()), latest).run()

    def _announce(self, contests: Sequence[LiveContest], jobs: int) -> None:
        """Say how many cells are to be proven, and how long the register says that takes with `jobs` at a time."""
        every = [(contest, one) for contest in contests for one in contest.present]
        open_cells = [(contest, one) for contest, one in every if contest.registrar.find_certificate(one) is None]
        keys = [cell_key(contest.work.workload, one.contender) for contest, one in open_cells]
        took = seconds_of(keys, read_register()) / jobs
        about = f"; that takes about {duration_words(took)}, by the times in the register" if took else ""
        self.display.tell(f"{len(open_cells)} of {len(every)} cells are to be proven{about}")

    def _expect(self, preparation: Preparation, bounds: Sequence[float], beside: float = 0.0) -> None:
        """Show the longest time until the run ends: its contests, its preparation and `beside`.

        `beside` is the time in seconds until the next contest begins.
        """
        self.display.expect(preparation.seconds + beside + sum(bounds) if bounds else None)


def list_bounds(request: ContestRequest, expected: Sequence[TimeEstimate]) -> list[float]:
    """Return the upper bound of the seconds of each contest; empty if not known."""
    trains = isinstance(request, RunRequest) and request.shipped is not None
    if request.trains_fully or isinstance(request, ExplainRequest) or trains:
        return []
    return [one.bound(request.stopping) for one in expected]


def left_contests(run: Run, request: ContestRequest) -> list[LeftContest]:
    """Return the contests of a run that are not done. Raises StoreError if its request gives another plan now."""
    plan, rows = make_plan(request), run.contests
    if [len(planned.contenders) for planned in plan] != [len(row.entries) for row in rows]:
        raise StoreError(
            f"run {run.id} is planned otherwise than it is written down", f"Begin it again: {' '.join(run.command)}"
        )
    return [(planned, row) for planned, row in zip(plan, rows, strict=True) if is_unfinished(run, row)]


def is_unfinished(run: Run, row: ContestRow) -> bool:
    """Return whether a contest has something left to do: it never ended, or a competitor left it."""
    ending = Stopped.last_of(events_of(run, row))
    return ending is None or bool(ending.out)


def end(contest: LiveContest, ending: Stopped) -> None:
    """Store how a contest ended, and remove its files."""
    contest.journal.event(ending)
    shutil.rmtree(contest.folder)


def title(planned: PlannedContest, rows: Sequence[ContestRow]) -> str:
    """Return the name of a contest: the workload, and the values on the axes that distinguish it."""
    name = planned.workload.name
    settings = [row.setting for row in rows if row.workload == name]
    return ", ".join([name, *distinguishing_words(planned.setting.as_json(), settings, planned.workload)])
