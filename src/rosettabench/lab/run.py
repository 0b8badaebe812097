"""A run, from a request to the last row in the store; and the same for a run that was interrupted."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from rosettabench import __version__
from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks
from rosettabench.catalogue.workload import Workload
from rosettabench.data.prepare import prepare
from rosettabench.data.prepared import Prepared
from rosettabench.environments.environment import Environment, Environments, external
from rosettabench.environments.lock import load_lock
from rosettabench.errors import EnvironmentFault, ProofError, UsageError, WorkerError
from rosettabench.lab.batches import draw_batches
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import Contest, Progress
from rosettabench.lab.display import Display
from rosettabench.lab.machine import describe_machine
from rosettabench.lab.registrar import Registrar
from rosettabench.lab.session import Session, Work
from rosettabench.plan.plan import PlannedContest, make_plan
from rosettabench.plan.request import Request
from rosettabench.plan.setting import Setting
from rosettabench.proof.reference import Reference, make_reference
from rosettabench.proof.walk import STEPS
from rosettabench.proof.weights import draw_weights, save_weights, weights_digest
from rosettabench.store.schema import Contest as ContestRow
from rosettabench.store.schema import Entry, Event, Failure, Run
from rosettabench.store.store import Store, now


@dataclass
class Laboratory:
    """The place where runs are made: its store, its cache, and the display that it talks to."""

    store: Store
    cache: Path
    display: Display

    # -- runs --------------------------------------------------------------------------------------------------------

    def begin(self, request: Request, command: Sequence[str]) -> Run:
        """Plan a request and write the plan down; nothing is started. Raises UsageError for a plan that is empty."""
        plan = make_plan(request)
        identity = f"{now()[:19].replace('-', '').replace(':', '').replace('T', '-')}-{token_hex(2)}"
        run = self.store.add(
            Run(
                id=identity,
                at=now(),
                version=__version__,
                command=list(command),
                request=request.model_dump(mode="json"),
                machine=describe_machine(),
            )
        )
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
            self._failure(run.id, row.id, None, "plan", WorkerError("unsupported", what))

    def go_on(self, run: Run, conduct: Callable[[Contest], dict[str, Any]] = Contest.run) -> None:
        """Do everything of a run that is not done yet; Contest.prove does only the proofs of it.

        Ctrl-C is written down and raised again.
        """
        request = Request.model_validate(run.request)
        plan = make_plan(request)
        rows = run.contests
        if not any(unfinished(run, row) for row in rows):
            raise UsageError(f"run {run.id} is finished", "rosetta report shows it; rosetta run makes another.")
        try:
            for planned in plan:
                self._check_data(request, planned)
            with tempfile.TemporaryDirectory(prefix="rosetta-") as scratch:
                for number, (planned, row) in enumerate(zip(plan, rows, strict=True), start=1):
                    if unfinished(run, row):
                        self.display.contest(title(planned, rows), number, len(rows))
                        self._contest(run, request, planned, row, Path(scratch), conduct)
        except KeyboardInterrupt:
            self._event(run.id, None, None, "interrupted", {})
            raise
        self._event(run.id, None, None, "finished", {})

    # -- one contest ---------------------------------------------------------------------------------------------------

    def _contest(
        self,
        run: Run,
        request: Request,
        planned: PlannedContest,
        row: ContestRow,
        scratch: Path,
        conduct: Callable[[Contest], dict[str, Any]],
    ) -> None:
        folder = scratch / f"contest-{row.id}"
        folder.mkdir()
        competitors = [
            Competitor(contender, entry, self.store, run.id, sessions(entry) + 1)
            for contender, entry in zip(planned.contenders, row.entries, strict=True)
        ]
        self._environments(competitors)
        work, weights = self._work(run, request, planned, row, folder)
        registrar = Registrar(
            self.store,
            work,
            weights_digest(weights),
            lambda: self._reference(work, folder / "reference", request.timeout),
            request.prove_again,
        )
        contest = Contest(competitors, work, request, registrar, folder, self.display, earlier(row))
        self._event(run.id, row.id, None, "stopped", conduct(contest))
        shutil.rmtree(folder)

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
            return self._make(str(contender.lock))
        except EnvironmentFault as error:
            return error

    def _make(self, lock: str) -> Environment:
        self.display.doing(f"environment {lock}")
        environments = Environments(self.cache / "environments")
        return environments.make(load_lock(lock), self.display.doing)

    def _work(
        self, run: Run, request: Request, planned: PlannedContest, row: ContestRow, folder: Path
    ) -> tuple[Work, dict[str, Any]]:
        workload, setting = planned.workload, planned.setting
        data = self._data(request, workload)
        facts = {"train": data.train.samples, "test": data.test.samples}
        facts_of_data = {"name": data.name, "origin": data.origin, "note": data.note, "digest": data.digest, **facts}
        self._event(run.id, row.id, None, "data", facts_of_data)
        if data.is_stand_in:
            self.display.told(data.note)
        weights = draw_weights(workload, setting.seed)
        batches = folder / "batches.npy"
        np.save(batches, draw_batches(data.train.samples, setting.batch_size, STEPS, setting.seed))
        return Work(workload, setting, data, save_weights(weights, folder / "weights"), batches), weights

    def _check_data(self, request: Request, planned: PlannedContest) -> None:
        """Prepare the data before anything is started: a wrong file, or a batch too large, is told at once."""
        data = self._data(request, planned.workload)
        draw_batches(data.train.samples, planned.setting.batch_size, 1, planned.setting.seed)

    def _data(self, request: Request, workload: Workload) -> Prepared:
        self.display.doing(f"data {workload.data.set}")
        folder = Path(request.data_dir) if request.data_dir else None
        return prepare(
            workload.data.set,
            workload.data.form,
            data_dir=folder,
            cache=self.cache,
            offline=request.offline,
            progress=self.display.doing,
        )

    # -- the reference -------------------------------------------------------------------------------------------------

    def _reference(self, work: Work, folder: Path, timeout: float) -> Reference:
        """Make the reference with the first of the catalogue's references that this machine can run."""
        faults = []
        for entry in references(work.workload):
            try:
                environment = self._make(entry.locks[0])
            except EnvironmentFault as error:
                faults.append(f"{entry.name}: {error.what}")
                continue
            self.display.doing(f"reference for {work.workload.name}")

            def start(
                precision: str,
                rounded: str | None,
                place: Path,
                one: FrameworkEntry = entry,
                where: Environment = environment,
            ) -> Session:
                session = Session(one, one.mode, where, work, place, timeout, precision, rounded)
                session.open()
                session.build()
                session.load()
                return session

            weights = {name: np.load(path) for name, path in work.weights.items()}
            return make_reference(entry.name, start, weights, folder)
        raise ProofError(
            f"no float64 reference can be made for {work.workload.name}: {'; '.join(faults) or 'it has none'}",
            "rosetta env make pytorch@2.13.0",
        )

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _event(self, run: str, contest: int | None, entry: int | None, kind: str, payload: dict[str, Any]) -> None:
        row = Event(run_id=run, contest_id=contest, entry_id=entry, at=now(), kind=kind, payload=payload)
        self.store.add(row)

    def _failure(self, run: str, contest: int | None, entry: int | None, stage: str, error: WorkerError) -> None:
        self.store.add(
            Failure(
                run_id=run,
                contest_id=contest,
                entry_id=entry,
                at=now(),
                stage=stage,
                kind=error.kind,
                what=error.what,
                hint=error.hint,
                details=error.details,
            )
        )


def references(workload: Workload) -> list[FrameworkEntry]:
    """Return the references that implement a workload, the preferred one first."""
    entries = [entry for entry in all_frameworks().values() if entry.reference]
    able = [entry for entry in entries if workload.implementation(entry.implementation_name)]
    return sorted(able, key=lambda entry: entry.name != "reference-pytorch")


def first_copy(contender: Contender) -> Contender:
    """Return the contender that a control is the second copy of."""
    return Contender(contender.framework, contender.mode, contender.lock, contender.python)


def title(planned: PlannedContest, rows: Sequence[ContestRow]) -> str:
    """Return the name of a contest: the workload, and the batch size where the workload runs at several settings."""
    name = planned.workload.name
    same = sum(row.workload == name for row in rows)
    return name if same == 1 else f"{name}, {differing(planned.setting)}"


def differing(setting: Setting) -> str:
    """Return a setting in words."""
    return ", ".join(f"{axis.replace('_', ' ')} {value}" for axis, value in setting.as_json().items())


def unfinished(run: Run, row: ContestRow) -> bool:
    """Return whether there is something left to do in a contest: it never ended, or not for all who entered it."""
    ends = [event for event in run.events if event.kind == "stopped" and event.contest_id == row.id]
    return not ends or bool(ends[-1].payload["out"])


def sessions(entry: Entry) -> int:
    """Return how many processes an entry has had."""
    return max((*(block.session for block in entry.blocks), *(figure.session for figure in entry.figures)), default=0)


def earlier(row: ContestRow) -> Progress:
    """Return what a contest has measured already: a resumed run goes on from there."""
    progress = Progress()
    for entry in row.entries:
        turns = [block for block in entry.blocks if block.phase == "turn"]
        progress.rounds[entry.label] = {block.round: block.elapsed_s / block.steps for block in turns}
        progress.last = max([progress.last, *progress.rounds[entry.label]])
    return progress
