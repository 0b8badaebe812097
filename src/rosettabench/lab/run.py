"""A run, from a request to the last row in the store; and the same for a run that was interrupted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any

from rosettabench import __version__
from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks
from rosettabench.catalogue.workload import Workload
from rosettabench.client.batches import draw_batches, draw_rows
from rosettabench.client.machine import describe_machine, kept_programs
from rosettabench.client.session import Session, Work
from rosettabench.data.prepare import prepare
from rosettabench.data.prepared import Prepared
from rosettabench.environments.environment import Environment, Environments, external
from rosettabench.environments.lock import load_lock
from rosettabench.errors import EnvironmentFault, ProofError, StoreError, UsageError, WorkerError
from rosettabench.files import save_array
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.display import Display
from rosettabench.lab.journal import Journal
from rosettabench.lab.owner import owned
from rosettabench.lab.past import read_past
from rosettabench.lab.preparation import Job, Key, Preparation
from rosettabench.lab.progress import Progress
from rosettabench.lab.proving import Proving
from rosettabench.lab.registrar import Registrar
from rosettabench.lab.scratch import scratch_folder
from rosettabench.plan.budget import turns_of_next
from rosettabench.plan.duration import duration_words
from rosettabench.plan.estimate import DATA_S, ENVIRONMENT_S, estimate
from rosettabench.plan.fit import check_fit
from rosettabench.plan.plan import PlannedContest, at_proof, make_plan
from rosettabench.plan.proof_steps import STEPS
from rosettabench.plan.request import Request
from rosettabench.plan.setting import apart
from rosettabench.plan.trainings import trains_only
from rosettabench.proof.decoded import from_memory
from rosettabench.proof.inference import make_inference_reference
from rosettabench.proof.reference import Reference, make_reference
from rosettabench.proof.register import cell_key, read_register, seconds_of
from rosettabench.proof.weights import draw_weights, proof_weights, save_weights, weights_digest
from rosettabench.statistics.rounds import process_of_round, seconds_per_step
from rosettabench.store.record import Finished, Interrupted, Resumed, Stopped, Unbegun, UsedData
from rosettabench.store.schema import PEAK, Entry, Run
from rosettabench.store.schema import Contest as ContestRow
from rosettabench.store.store import Store, dropped_rounds, events_of, now

BESIDE_S = 10
"""Bound for what lies between two contests: the table of the first, and the folder of the next."""


@dataclass
class Laboratory:
    """The place where runs are made: its store, its cache, and the display that it talks to."""

    store: Store
    cache: Path
    display: Display
    _preparation: Preparation = field(init=False)

    # -- runs --------------------------------------------------------------------------------------------------------

    def begin(self, request: Request, command: Sequence[str]) -> Run:
        """Plan a request and write the plan down; nothing is started. Raises UsageError for a plan that is empty."""
        plan = make_plan(request)
        identity = f"{now()[:19].replace('-', '').replace(':', '').replace('T', '-')}-{token_hex(2)}"
        run = Run(
            id=identity,
            at=now(),
            version=__version__,
            command=list(command),
            request=request.model_dump(mode="json"),
            machine=describe_machine(),
        )
        with self.store.together():  # nobody could go on with half a plan
            self.store.add(run)
            for planned in plan:
                self._write_contest(run, planned, request)
        return self.store.run(identity)

    def _write_contest(self, run: Run, planned: PlannedContest, request: Request) -> None:
        stopping = request.stopping.model_dump(mode="json")
        stopping |= {"confidence": request.confidence, "margin": request.margin}
        row = self.store.add(
            ContestRow(
                run_id=run.id, workload=planned.workload.name, setting=planned.setting.as_json(), stopping=stopping
            )
        )
        for one in planned.contenders:
            self.store.add(
                Entry(
                    contest_id=row.id,
                    label=one.label,
                    framework=one.framework,
                    mode=one.mode,
                    lock=one.lock,
                    python=str(one.python) if one.python else None,
                    control_of=first_copy(one).label if one.copy > 1 else None,
                )
            )
        for what in planned.missing.values():
            Journal(self.store, run.id, row.id).failure("plan", WorkerError("unsupported", what))

    def go_on(
        self,
        run: Run,
        conduct: Callable[[LiveContest], Stopped] = LiveContest.run,
        ended: Callable[[ContestRow], None] = lambda row: None,
    ) -> None:
        """Do everything of a run that is not done yet: conduct its contests, or prove where it asks for proofs alone.

        `ended` is called with each contest that is over while others are to come.

        Ctrl-C is written down and raised again. Trainings that follow the contests are not done here, and with them
        the run is not finished yet.
        """
        if PEAK in run.request:
            raise UsageError(f"run {run.id} measured the machine; there is no contest in it to go on with")
        if trains_only(run.request):
            raise UsageError(f"run {run.id} trains libraries as shipped; there is no contest in it", "rosetta resume")
        request = Request.model_validate(run.request)
        plan = make_plan(request)
        rows = run.contests
        if [len(planned.contenders) for planned in plan] != [len(row.entries) for row in rows]:
            raise StoreError(
                f"run {run.id} is planned otherwise than it is written down", f"Begin it again: {' '.join(run.command)}"
            )
        left = [(planned, row) for planned, row in zip(plan, rows, strict=True) if unfinished(run, row)]
        if not left and request.shipped is None:
            raise UsageError(f"run {run.id} is finished", "rosetta report shows it; rosetta run makes another.")
        try:
            with (
                owned(run.id, self.cache),
                scratch_folder() as scratch,
                Preparation(self.display) as self._preparation,
            ):
                if run.events:
                    Journal(self.store, run.id).event(Resumed())
                self._prepare(request, [planned for planned, _ in left])
                if request.proving:
                    self._prove(run, request, left, scratch)
                else:
                    self._conduct(run, request, left, scratch, conduct, ended)
        except KeyboardInterrupt:
            Journal(self.store, run.id).event(Interrupted())
            raise
        if request.shipped is None:
            Journal(self.store, run.id).event(Finished())

    def _conduct(
        self,
        run: Run,
        request: Request,
        left: Sequence[tuple[PlannedContest, ContestRow]],
        scratch: Path,
        conduct: Callable[[LiveContest], Stopped],
        ended: Callable[[ContestRow], None],
    ) -> None:
        """Conduct contests, one after the other, as long as there is time for them.

        Each begins when its own environments are there, and the data of all: what is wrong with those is told before
        anything is measured. What is still to be made for later contests is made between contests. `ended` is called
        after each contest but the last.
        """
        bounds = self._bounds(request, [planned for planned, _ in left])
        self._expect(bounds, BESIDE_S)
        for planned, _ in left:
            self._check_data(request, planned, len(planned.contenders))
        begun = monotonic()
        given: list[float] = []
        for number, (planned, row) in enumerate(left, start=1):
            name = title(planned, run.contests)
            seconds = turns_of_next(request, monotonic() - begun, len(left) - number + 1, given)
            if not seconds:
                self.display.told(f"{name}: nothing is left of the budget. rosetta resume goes on with it")
                Journal(self.store, run.id, row.id).event(Unbegun(budget=request.budget))
                continue
            self.display.contest(name, number, len(left))
            shorter = request.stopping.model_copy(update={"seconds": seconds})
            own = request.model_copy(update={"stopping": shorter})
            contest = self._arrange(run, own, planned, row, planned, scratch)
            with self._preparation.paused():
                self._expect(bounds[number - 1 :])
                ending = conduct(contest)
            self._end(contest, ending)
            given.append(seconds)
            if number < len(left):
                self._expect(bounds[number:], BESIDE_S)
                ended(row)

    def _prove(
        self, run: Run, request: Request, left: Sequence[tuple[PlannedContest, ContestRow]], scratch: Path
    ) -> None:
        """Prove the competitors of all contests, at the extents of their proofs, and measure nothing."""
        end = monotonic() + (inf if request.budget is None else request.budget)
        extents = [at_proof(planned) for planned, _ in left]
        for planned in extents:
            self._check_data(request, planned, request.proving)
        contests = [
            self._arrange(run, request, planned, row, proven, scratch)
            for (planned, row), proven in zip(left, extents, strict=True)
        ]
        titles = [title(planned, run.contests) for planned, _ in left]

        def finish(contest: LiveContest) -> None:
            self._end(contest, contest.proven())

        self._announce(contests, request)
        with kept_programs(self.cache / "compiled"):
            Proving(contests, titles, request.proving, self.display, finish, end).run()

    def _announce(self, contests: Sequence[LiveContest], request: Request) -> None:
        """Say how many cells are to be proven, and how long that takes by the register."""
        every = [(contest, one) for contest in contests for one in contest.present]
        open_cells = [(contest, one) for contest, one in every if contest.registrar.known(one) is None]
        keys = [cell_key(contest.work.workload, one.contender) for contest, one in open_cells]
        took = seconds_of(keys, read_register()) / request.proving
        about = f"; that takes about {duration_words(took)}, by the times in the register" if took else ""
        self.display.told(f"{len(open_cells)} of {len(every)} cells are to be proven{about}")

    def _prepare(self, request: Request, plan: Sequence[PlannedContest]) -> None:
        """Begin to make what contests need, in the background and in their order."""
        for job in self.jobs(request, plan):
            self._preparation.add(job)
        self._preparation.begin()

    def jobs(self, request: Request, plan: Sequence[PlannedContest]) -> list[Job]:
        """Return the data sets and environments that contests need, each once, in the order of need."""
        found: dict[Key, Job] = {}
        for planned in plan:
            for extents in (at_proof(planned),) if request.proving else (planned, at_proof(planned)):
                prepare_it = partial(self._prepare_data, request, extents)
                key = data_key(extents)
                found.setdefault(key, Job(key, f"data {planned.workload.data.set}", prepare_it, DATA_S))
            for lock in (contender.lock for contender in planned.contenders if contender.lock):
                key = ("environment", lock)
                if key not in found:
                    found[key] = self._environment_job(lock)
        return list(found.values())

    def _environment_job(self, lock: str) -> Job:
        made = Environments(self.cache / "environments").find(load_lock(lock)) is not None
        return Job(("environment", lock), lock, partial(self._make, lock), 0.0 if made else ENVIRONMENT_S)

    def _bounds(self, request: Request, plan: Sequence[PlannedContest]) -> list[float]:
        """Return the seconds that each contest takes at most; none where that is not known."""
        if request.full or request.examining is not None or request.shipped is not None:
            return []
        before = read_past(self.store, describe_machine())
        return [estimate(planned, before).bound(request.stopping) for planned in plan]

    def _expect(self, bounds: Sequence[float], beside: float = 0.0) -> None:
        """Tell how long the run goes on at most, from what its contests and what is still to be made take.

        `beside` are seconds that go by until the next contest begins.
        """
        self.display.expect(self._preparation.seconds + beside + sum(bounds) if bounds else None)

    def _end(self, contest: LiveContest, ending: Stopped) -> None:
        """Write down how a contest has ended, and remove its files."""
        contest.journal.event(ending)
        shutil.rmtree(contest.folder)

    # -- one contest ---------------------------------------------------------------------------------------------------

    def _arrange(
        self,
        run: Run,
        request: Request,
        planned: PlannedContest,
        row: ContestRow,
        measured: PlannedContest,
        scratch: Path,
    ) -> LiveContest:
        """Return a contest that is ready to begin; `measured` is what its competitors are started with."""
        folder = scratch / f"contest-{row.id}"
        folder.mkdir()
        competitors = [
            Competitor(contender, entry, Journal(self.store, run.id, row.id, entry.id), sessions(entry))
            for contender, entry in zip(planned.contenders, row.entries, strict=True)
        ]
        self._environments(competitors)
        journal = Journal(self.store, run.id, row.id)
        extents = at_proof(planned)
        work, weights = self._work(request, measured, journal, folder)
        proven = work if extents == measured else self._proven(request, extents, work, folder)
        registrar = Registrar(
            self.store,
            proven,
            weights_digest(weights),
            lambda: self._reference(proven, folder / "reference", request.timeout),
            request.prove_again,
            proven is work and begins_as_timed(work.workload),
        )
        referee = partial(self._referee, work, request.timeout)
        return LiveContest(
            competitors, work, request, registrar, folder, self.display, journal, earlier(run, row), referee
        )

    def _environments(self, competitors: Sequence[Competitor]) -> None:
        """Find or make each competitor's environment; one that cannot be had is a failure, and the others go on."""
        known: dict[tuple[str | None, Path | None], Environment | EnvironmentFault] = {}
        for one in competitors:
            key = (one.contender.lock, one.contender.python)
            if key not in known:
                known[key] = self._environment(one.contender)
            found = known[key]
            if isinstance(found, EnvironmentFault):
                one.fail("environment", WorkerError("environment", found.what, found.hint))
                self.display.told(f"{one.label} cannot take part: {found.what}")
            else:
                one.environment = found

    def _environment(self, contender: Contender) -> Environment | EnvironmentFault:
        try:
            if contender.python is not None:
                return external(contender.python)
            made: Environment = self._preparation.get(("environment", contender.lock))
            return made
        except EnvironmentFault as error:
            return error

    def _make(self, lock: str, progress: Callable[..., None]) -> Environment:
        return Environments(self.cache / "environments").make(load_lock(lock), progress)

    def _work(
        self, request: Request, planned: PlannedContest, journal: Journal, folder: Path
    ) -> tuple[Work, dict[str, Any]]:
        workload, setting = planned.workload, planned.setting
        data = self._data(planned)
        journal.event(
            UsedData(
                name=data.name,
                origin=data.origin,
                note=data.note,
                digest=data.digest,
                train=data.train.samples,
                test=data.test.samples,
            )
        )
        if not data.is_whole:
            self.display.told(data.note)
        weights = draw_weights(workload, setting.seed)
        batches = folder / "batches.npy"
        save_array(batches, draw_rows(workload, data, setting, STEPS))
        return Work(workload, setting, data, save_weights(weights, folder / "weights"), batches), weights

    def _proven(self, request: Request, extents: PlannedContest, work: Work, folder: Path) -> Work:
        """Return the work of a contest at the extents of its proof: the same weights, on other batches."""
        setting, data = extents.setting, self._data(extents)
        batches = folder / "proof-batches.npy"
        save_array(batches, draw_rows(work.workload, data, setting, STEPS))
        return replace(work, workload=extents.workload, setting=setting, data=data, batches=batches)

    def _check_data(self, request: Request, planned: PlannedContest, together: int) -> None:
        """Wait for the data before anything is started: what is wrong with them, or too large, is told at once.

        `together` is how many contenders are to hold them at the same time.
        """
        from psutil import virtual_memory

        data = self._data(planned)
        draw_batches(data.train.samples, planned.setting.batch_size, 1, planned.setting.seed)
        check_fit(planned, data, together, virtual_memory().available)

    def _data(self, planned: PlannedContest) -> Prepared:
        data: Prepared = self._preparation.get(data_key(planned))
        return data

    def _prepare_data(self, request: Request, planned: PlannedContest, progress: Callable[..., None]) -> Prepared:
        return prepare(
            planned.workload.data.set,
            planned.workload.data.form,
            data_dir=Path(request.data_dir) if request.data_dir else None,
            cache=self.cache,
            offline=request.offline,
            asked=planned.setting.data,
            progress=progress,
            pictures=planned.setting.input == "files",
        )

    # -- the reference -------------------------------------------------------------------------------------------------

    def _reference(self, work: Work, folder: Path, timeout: float) -> Reference:
        """Make the reference with the first of the catalogue's references that this machine can run.

        It has half of the threads: products as small as most of its are wait for each other longer than they compute.
        """
        threads = max(1, work.setting.threads // 2)
        work = replace(from_memory(work, folder / "decoded"), setting=replace(work.setting, threads=threads))
        entry, environment = self._able_reference(work.workload)
        self.display.doing(f"reference for {work.workload.name}")

        def start(precision: str, rounded: str | None, place: Path, adapter: Path | None = None) -> Session:
            own = entry if adapter is None else entry.model_copy(update={"path": adapter})
            return Session(own, own.mode, environment, work, place, timeout, precision, rounded).prepare()

        refer = make_reference if work.workload.inference is None else make_inference_reference
        return refer(entry.name, start, proof_weights(work.workload, work.setting.seed), folder)

    def _referee(self, work: Work, timeout: float, folder: Path) -> Session:
        """Start the float64 reference at the extents that are timed; raises ProofError where there is none."""
        work = from_memory(work, folder / "decoded")
        entry, environment = self._able_reference(work.workload)
        return Session(entry, entry.mode, environment, work, folder / "session", timeout, "float64").prepare()

    def _able_reference(self, workload: Workload) -> tuple[FrameworkEntry, Environment]:
        """Return the first of the catalogue's references that this machine can run, with its environment."""
        faults = []
        for entry in references(workload):
            try:
                job = self._environment_job(entry.locks[0])
                return entry, self._preparation.obtain(job, self.display.doing)
            except EnvironmentFault as error:
                faults.append(f"{entry.name}: {error.what}")
        raise ProofError(
            f"no float64 reference can be made for {workload.name}: {'; '.join(faults) or 'it has none'}",
            "rosetta env make pytorch@2.13.0",
        )


def begins_as_timed(workload: Workload) -> bool:
    """Whether the proof of a workload begins with the weights that are timed, and drops nothing that training drops."""
    return not workload.dropout and all(tensor.proof is None for tensor in workload.tensors)


def data_key(planned: PlannedContest) -> Key:
    """Return what the data of a contest are known by while they are prepared."""
    form = repr(planned.workload.data.form)
    return "data", planned.workload.data.set, form, planned.setting.data, planned.setting.input == "files"


def references(workload: Workload) -> list[FrameworkEntry]:
    """Return the references that implement a workload, the preferred one first."""
    entries = [entry for entry in all_frameworks().values() if entry.reference]
    able = [entry for entry in entries if workload.implementation(entry.implementation_name)]
    return sorted(able, key=lambda entry: entry.name != "reference-pytorch")


def first_copy(contender: Contender) -> Contender:
    """Return the contender that a control is the second copy of."""
    return replace(contender, copy=1, extra=0.0)


def title(planned: PlannedContest, rows: Sequence[ContestRow]) -> str:
    """Return the name of a contest: the workload, and the values on axes that it is known by."""
    name = planned.workload.name
    settings = [row.setting for row in rows if row.workload == name]
    return ", ".join([name, *apart(planned.setting.as_json(), settings, planned.workload)])


def unfinished(run: Run, row: ContestRow) -> bool:
    """Return whether there is something left to do in a contest: it never ended, or not for all who entered it."""
    end = Stopped.last_of(events_of(run, row))
    return end is None or bool(end.out)


def sessions(entry: Entry) -> int:
    """Return how many processes an entry has had."""
    return max((*(block.session for block in entry.blocks), *(figure.session for figure in entry.figures)), default=0)


def earlier(run: Run, row: ContestRow) -> Progress:
    """Return what a contest has measured already: a resumed run goes on from there."""
    progress = Progress()
    for entry in row.entries:
        turns = [block for block in entry.blocks if block.phase == "turn"]
        progress.rounds[entry.label] = seconds_per_step(turns, dropped_rounds(run, row))
        progress.processes |= process_of_round(turns)
        progress.last = max([progress.last, *(block.round for block in turns)])
    return progress
