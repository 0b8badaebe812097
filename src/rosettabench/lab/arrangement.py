"""The arrangement of contests: what a planned contest takes to begin, data, environments, weights and reference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.framework import FrameworkEntry, references
from rosettabench.catalogue.workload import Workload
from rosettabench.client.batches import draw_batches, draw_rows
from rosettabench.client.session import Session, Work
from rosettabench.data.prepared import Prepared
from rosettabench.environments.environment import Environment, external
from rosettabench.errors import EnvironmentFault, FailureKind, ProofError, WorkerError
from rosettabench.files import save_array
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.display import Display
from rosettabench.lab.first_steps import AFFORDABLE_S, TOO_LONG, FirstSteps
from rosettabench.lab.jobs import Jobs, data_key
from rosettabench.lab.journal import Journal
from rosettabench.lab.preparation import Preparation
from rosettabench.lab.progress import Progress
from rosettabench.lab.registrar import Registrar
from rosettabench.plan.budget import gb
from rosettabench.plan.estimate import reference_memory, reference_seconds
from rosettabench.plan.fit import check_fit
from rosettabench.plan.plan import PlannedContest, at_proof
from rosettabench.plan.proof_steps import STEPS
from rosettabench.plan.request import ContestRequest
from rosettabench.proof.certificate import subject_of
from rosettabench.proof.decoded import from_memory
from rosettabench.proof.inference import make_inference_reference
from rosettabench.proof.reference import Reference, make_reference
from rosettabench.proof.weights import draw_weights, proof_weights, save_weights, weights_digest
from rosettabench.statistics.rounds import process_of_round, seconds_per_step
from rosettabench.store.record import FailureStage, Phase, UsedData
from rosettabench.store.schema import Contest as ContestRow
from rosettabench.store.schema import Entry, Run
from rosettabench.store.store import Store, dropped_rounds


@dataclass(frozen=True)
class Arranger:
    """Arranges the contests of one run; their files lie below `scratch`."""

    store: Store
    display: Display
    preparation: Preparation
    jobs: Jobs
    run: Run
    request: ContestRequest
    scratch: Path

    def lasting(self, seconds: float) -> Arranger:
        """Return one whose contests take turns for so long."""
        stopping = self.request.stopping.model_copy(update={"seconds": seconds})
        return replace(self, request=self.request.model_copy(update={"stopping": stopping}))

    def arrange(self, planned: PlannedContest, row: ContestRow, measured: PlannedContest) -> LiveContest:
        """Return a contest that is ready to begin; `measured` is what its competitors are started with."""
        run, request = self.run, self.request
        folder = self.scratch / f"contest-{row.id}"
        folder.mkdir()
        competitors = [
            Competitor(contender, entry, Journal(self.store, run.id, row.id, entry.id), sessions(entry))
            for contender, entry in zip(planned.contenders, row.entries, strict=True)
        ]
        self._environments(competitors)
        journal = Journal(self.store, run.id, row.id)
        extents = at_proof(planned)
        work, weights = self._work(measured, journal, folder)
        proven = work if extents == measured else self._proven(extents, work, folder)
        drawn = weights_digest(weights)
        registrar = Registrar(
            self.store,
            proven,
            drawn,
            lambda: self._reference(proven, folder / "reference", request.timeout),
            request.admission.prove_again,
        )
        return LiveContest(
            competitors,
            work,
            request,
            registrar,
            folder,
            self.display,
            journal,
            earlier(run, row),
            partial(self._referee, work, request.timeout),
            self._first_steps(measured, work, drawn),
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
                one.fail(FailureStage.ENVIRONMENT, WorkerError(FailureKind.ENVIRONMENT, found.what, found.hint))
                self.display.tell(f"{one.label} cannot take part: {found.what}")
            else:
                one.environment = found

    def _environment(self, contender: Contender) -> Environment | EnvironmentFault:
        """Return the environment of a contender, or why there is none, or none that exports for it."""
        try:
            if contender.entry.exported is not None:
                self.preparation.get(("environment", contender.entry.exported.lock))
            if contender.python is not None:
                return external(contender.python)
            made: Environment = self.preparation.get(("environment", contender.lock))
            return made
        except EnvironmentFault as error:
            return error

    def check_data(self, planned: PlannedContest, together: int) -> None:
        """Wait for the data before anything is started: what is wrong with them, or too large, is told at once.

        `together` is how many contenders are to hold them at the same time.
        """
        from psutil import virtual_memory

        data = self.data(planned)
        draw_batches(data.train.samples, planned.setting.batch_size, 1, planned.setting.seed)
        check_fit(planned, data, together, virtual_memory().available)

    def _work(self, planned: PlannedContest, journal: Journal, folder: Path) -> tuple[Work, dict[str, Any]]:
        """Return the work of a contest, its data noted, and the weights that were drawn."""
        workload, setting = planned.workload, planned.setting
        data = self.data(planned)
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
            self.display.tell(data.note)
        weights = draw_weights(workload, setting.seed)
        batches = folder / "batches.npy"
        save_array(batches, draw_rows(workload, data, setting, STEPS))
        return Work(workload, setting, data, save_weights(weights, folder / "weights"), batches), weights

    def _proven(self, extents: PlannedContest, work: Work, folder: Path) -> Work:
        """Return the work of a contest at the extents of its proof: the same weights, on other batches."""
        setting, data = extents.setting, self.data(extents)
        batches = folder / "proof-batches.npy"
        save_array(batches, draw_rows(work.workload, data, setting, STEPS))
        return replace(work, workload=extents.workload, setting=setting, data=data, batches=batches)

    def data(self, planned: PlannedContest) -> Prepared:
        """Wait for the data of a contest, and return them."""
        data: Prepared = self.preparation.get(data_key(planned))
        return data

    # -- the reference -------------------------------------------------------------------------------------------------

    def _reference(self, work: Work, folder: Path, timeout: float) -> Reference:
        """Make the reference with the first of the catalogue's references that this machine can run.

        It has half of the threads: products as small as most of its are wait for each other longer than they compute.
        """
        threads = max(1, work.setting.threads // 2)
        work = replace(from_memory(work, folder / "decoded"), setting=replace(work.setting, threads=threads))
        entry, environment = self._able_reference(work.workload)
        self.display.doing(f"reference for {work.workload.name}")
        if environment.kind == "external":
            self.display.tell(f"{environment.python} computes the reference: an environment for it cannot be made.")

        def start(precision: str, rounded: str | None, place: Path, adapter: Path | None = None) -> Session:
            """Start a session of the reference."""
            own = entry if adapter is None else entry.model_copy(update={"path": adapter})
            return Session(own, own.mode, environment, work, place, timeout, precision, rounded).prepare()

        refer = make_reference if work.workload.inference is None else make_inference_reference
        weights = proof_weights(work.workload, work.setting.seed, work.setting.device)
        return refer(entry.name, work, start, weights, folder)

    def _referee(self, work: Work, timeout: float, folder: Path, precision: str = "float64") -> Session:
        """Start the reference at the extents that are timed; raises ProofError where there is none."""
        work = from_memory(work, folder / "decoded", STEPS)
        entry, environment = self._able_reference(work.workload)
        return Session(entry, entry.mode, environment, work, folder / "session", timeout, precision).prepare()

    def _first_steps(self, planned: PlannedContest, work: Work, weights: str) -> FirstSteps:
        """Return who answers how the reference takes the first steps; `weights` is the digest of the weights."""

        def subject() -> dict[str, Any]:
            """Return what the answer depends on."""
            entry, environment = self._able_reference(work.workload)
            return subject_of(entry, entry.mode, environment, work, weights)

        limit = min(AFFORDABLE_S, self.request.timeout)
        referee = partial(self._referee, work, limit)
        return FirstSteps(work, referee, subject, partial(obstacle_to_reference, planned), self.jobs.cache)

    def _able_reference(self, workload: Workload) -> tuple[FrameworkEntry, Environment]:
        """Return the reference of a workload; its environment is made if it is not there yet.

        If it cannot be made, an interpreter that the user has named for a contender computes the reference.
        """
        named = {Path(entry.python) for row in self.run.contests for entry in row.entries if entry.python}
        return able_reference(
            workload, lambda lock: self.preparation.obtain(self.jobs.environment(lock), self.display.doing), named
        )


def able_reference(
    workload: Workload, environment_of: Callable[[str], Environment], named: Collection[Path] = ()
) -> tuple[FrameworkEntry, Environment]:
    """Return the first of the catalogue's references of a workload that this machine can run, with its environment.

    `environment_of` makes the environment of a lock. If it can make none, the interpreters that are `named` are asked
    for the packages. Raises ProofError if there is no reference.
    """
    faults = []
    for entry in references(workload):
        try:
            return entry, environment_of(entry.locks[0])
        except EnvironmentFault as error:
            faults.append(f"{entry.name}: {error.what}")
    for entry, python in product(references(workload), sorted(named)):
        try:
            environment = external(python)
        except EnvironmentFault as error:
            faults.append(f"{entry.name}: {error.what}")
            continue
        if environment.packages.keys() >= set(entry.packages):
            return entry, environment
    raise ProofError(
        f"no float64 reference can be made for {workload.name}: {'; '.join(faults) or 'it has none'}",
        "rosetta env make pytorch@2.13.0",
    )


def obstacle_to_reference(planned: PlannedContest, steps: int) -> str:
    """Return why the reference should not take the first steps of a contest; nothing if it may."""
    from psutil import virtual_memory

    if reference_seconds(planned, steps) > AFFORDABLE_S:
        return TOO_LONG
    needed, free = reference_memory(planned), virtual_memory().available
    return f"it needs about {gb(needed)}, and {gb(free)} are free" if needed > free else ""


def sessions(entry: Entry) -> int:
    """Return how many processes an entry has had."""
    return max((*(block.session for block in entry.blocks), *(figure.session for figure in entry.figures)), default=0)


def earlier(run: Run, row: ContestRow) -> Progress:
    """Return what a contest has measured already: a resumed run goes on from there."""
    progress = Progress()
    for entry in row.entries:
        turns = [block for block in entry.blocks if block.phase == Phase.TURN]
        progress.rounds[entry.label] = seconds_per_step(turns, dropped_rounds(run, row), row.stopping.get("turns"))
        progress.processes |= process_of_round(turns)
        progress.last = max([progress.last, *(block.round for block in turns)])
    return progress
