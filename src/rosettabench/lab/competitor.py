"""A competitor: one entry of a contest with its live worker. It writes every number it measures to the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosettabench.catalogue.contender import Contender
from rosettabench.client.apart import DevicesApart
from rosettabench.client.session import Session, Turn, Work
from rosettabench.data.series.windows import known_inputs
from rosettabench.environments.environment import Environment
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.files import save_array
from rosettabench.lab.forecasts import judge_forecasts
from rosettabench.lab.journal import Journal
from rosettabench.lab.score import scored_by_logits, scores
from rosettabench.resources.memory import read_memory
from rosettabench.resources.meter import Meter
from rosettabench.resources.sensors import Sensors
from rosettabench.store.record import FailureStage, FigureName, Phase, ReadBack, Unreadable, UsedEnvironment
from rosettabench.store.schema import Block, Entry, Figure
from rosettabench.store.store import now

FASTEST_STEP_S = 1e-7
"""Lower bound of the seconds per step: about the time of calling an empty function."""

INTERRUPTED = WorkerError(FailureKind.INTERRUPTED, "interrupted")
"""Why an abandoned competitor left."""


class Competitor:
    """One entry and its worker.

    If the worker fails, the failure goes to the store and to `failure`, the competitor leaves the contest, and the
    others go on. `proven` says whether its proof held; an unproven competitor is timed only if the user insists.
    """

    def __init__(self, contender: Contender, row: Entry, journal: Journal, number: int) -> None:
        """`row` is the stored entry; `number` counts the processes that it has had already. No worker starts yet."""
        self.contender = contender
        self.row = row
        self.journal = journal
        self.environment: Environment | None = None
        self.session: Session | None = None
        self.meter: Meter | None = None
        self.settings: dict[str, Any] = {}
        self.failure: WorkerError | None = None
        self.done: Turn | None = None
        self.keeping: Path | None = None
        """Where the outputs of the next blocks are kept, if they are to be checked."""
        self.proven = True
        self._number = number

    @property
    def out(self) -> str | None:
        """Why it left the contest; None while it takes part."""
        return None if self.failure is None else self.failure.what

    @property
    def label(self) -> str:
        """Its name in the contest."""
        return self.contender.label

    @property
    def live(self) -> Session:
        """Its session; valid only while it takes part in the contest."""
        assert self.session is not None
        return self.session

    @contextmanager
    def stage(self, name: FailureStage) -> Iterator[None]:
        """Run one stage of the contest. If the worker fails in it, store a Failure of this stage with its cause."""
        try:
            yield
        except WorkerError as error:
            self.fail(name, error)

    def fail(self, stage: FailureStage, error: WorkerError) -> None:
        """Store a failure and leave the contest. A competitor that already left is not reported again."""
        if self.failure is not None:
            return
        self.failure = error
        self.journal.failure(stage, error)
        if self.session is not None:
            self.session.process.kill()

    def abandon(self) -> None:
        """Leave because the user wants to stop. The end of its worker is then no failure."""
        self.failure = INTERRUPTED

    def start(self, environment: Environment, work: Work, folder: Path, timeout: float) -> None:
        """Start a worker in its own folder below `folder`. The system ends it when the calling thread ends."""
        self.environment = environment
        self._number += 1
        place = folder / f"entry-{self.row.id}-{self._number}"
        self.session = Session(self.contender.entry, self.contender.mode, environment, work, place, timeout)

    def open(self) -> None:
        """Let the worker import its framework and the implementation; store the time that this takes."""
        opened, environment = self.live.open(), self.environment
        assert environment is not None  # `start` has set it
        self.figure(FigureName.IMPORT, opened["import_s"])
        self.journal.event(
            UsedEnvironment(kind=environment.kind, interpreter=environment.version, packages=opened["packages"])
        )

    def prepare(self) -> None:
        """Build the model of an open worker and load the data; store the time of each."""
        self.figure(FigureName.BUILD, self.live.build()["build_s"])
        self.figure(FigureName.LOAD, self.live.load())

    @contextmanager
    def proving(self, work: Work, folder: Path) -> Iterator[Session]:
        """Lend a session for a proof: the competitor's own, or a new one if the proof has other extents.

        Frameworks compile for every shape they meet, so the timed session must not see the shapes of the proof.
        """
        if work is self.live.work:
            yield self.live
            return
        assert self.environment is not None
        timeout = self.live.timeout
        session = Session(self.contender.entry, self.contender.mode, self.environment, work, folder, timeout).prepare()
        try:
            yield session
        finally:
            session.process.close()

    @contextmanager
    def apart(self, folder: Path) -> Iterator[Session]:
        """Lend a session like the competitor's own, whose devices exchange nothing, with the same batches."""
        assert self.environment is not None
        own, entry, mode = self.live, self.contender.entry, self.contender.mode
        session = DevicesApart(entry, mode, self.environment, own.work, folder, own.timeout).prepare()
        try:
            session.hand_rows(own.rows)
            yield session
        finally:
            session.process.close()

    def first_step(self) -> None:
        """Time the first step, compilation included; read the settings back; then build the model again."""
        self.figure(FigureName.FIRST_STEP, self.live.block(0, 1).elapsed_s)
        self.read_settings()
        self.live.build()

    def read_settings(self) -> None:
        """Read back the settings in force and store them: after the first step, and again after the last block."""
        self.settings = self.live.settings()
        self.journal.event(ReadBack.of(self.settings))

    def watch(self, sensors: Sensors) -> None:
        """From now on, meter the resources that the worker uses in timed blocks."""
        self.meter = Meter(self.live.process.pid, sensors)

    def turn(self, phase: Phase, number: int, position: int, first: int, steps: int) -> float:
        """Do one block and store it; return its seconds per step.

        Planted work is done but not counted.
        """
        done = self.done = self._block(phase, first, steps + planted_steps(steps, self.contender.extra))
        if done.elapsed_s < steps * FASTEST_STEP_S:
            raise WorkerError(FailureKind.CLOCK, f"{steps} steps took {done.elapsed_s} s: the worker's clock is wrong")
        self.journal.store.add(
            Block(
                entry_id=self.row.id,
                at=now(),
                session=self._number,
                phase=phase,
                round=number,
                position=position,
                first=first,
                steps=steps,
                samples=done.samples,
                elapsed_s=done.elapsed_s,
                cpu_s=done.cpu_s,
                loss=done.loss,
                learning_rate=done.learning_rate,
            )
        )
        return done.elapsed_s / steps

    def _block(self, phase: Phase, first: int, steps: int) -> Turn:
        """Do a block; meter it unless it belongs to the warm-up."""
        if phase != Phase.TURN or self.meter is None:
            return self.live.block(first, steps, self.keeping)
        with self.meter.window():
            return self.live.block(first, steps, self.keeping)

    def evaluate(self, samples: int, epoch: int | None = None) -> None:
        """Time one evaluation of the first `samples` test samples; store the time and the workload's metric."""
        work = self.live.work
        place = self.live.folder / "evaluation" if scored_by_logits(work.workload) else None
        found = self.live.evaluate(samples, place)
        detail = {"samples": found["samples"], "correct": found.get("correct"), "epoch": epoch}
        self.figure(FigureName.EVALUATE, found["elapsed_s"], **detail)
        for score in scores(work, found):
            self.figure(score.name, score.value, **detail, **score.detail)

    def forecast(self) -> None:
        """Forecast each series by sample paths, and store their accuracy."""
        work, place = self.live.work, self.live.folder / "forecasts"
        series, forecasts = work.data.series, work.workload.forecasts
        assert series is not None
        assert forecasts is not None
        place.mkdir(exist_ok=True)
        save_array(place / "known.npy", known_inputs(series, range(len(series))))
        seed = work.setting.seed
        found = self.live.forecast(place / "known.npy", forecasts.paths, seed, place)
        self.journal.event(judge_forecasts(series, found, seed))

    def tick(self) -> float:
        """Return the seconds of an empty block: the cost of reading the clock and synchronising."""
        with self.stage(FailureStage.WARM_UP):
            return self.live.tick()
        return 0.0

    def note_memory(self) -> None:
        """Store the memory of the process tree, and read the settings again: they may have changed since."""
        found = read_memory(self.live.process.pid)
        for name, value in found.values.items():
            self.figure(FigureName(name), value)
        if found.unreadable:
            self.journal.event(Unreadable.of(found.unreadable))
        self.read_settings()

    def _note_usage(self) -> None:
        """Store the resources that all blocks of this session used together, and why some could not be read."""
        if self.meter is None or not self.meter.windows:
            return
        for amount in self.meter.amounts():
            self.figure(FigureName(amount.name), amount.value, **amount.detail)
        self.journal.event(Unreadable.of(self.meter.unreadable))

    def figure(self, name: FigureName, value: float, **detail: Any) -> None:  # noqa: ANN401 (a detail is JSON)
        """Store one figure of this session."""
        self.journal.store.add(
            Figure(entry_id=self.row.id, at=now(), session=self._number, name=name, value=value, detail=dict(detail))
        )

    @property
    def number(self) -> int:
        """The number of this entry's current process: 0 before the first start, then counted from 1."""
        return self._number

    def leave(self) -> None:
        """End the worker, and store what it used."""
        try:
            self._note_usage()
        finally:
            if self.session is not None and self.out is None:
                self.session.process.close()
            elif self.session is not None:
                self.session.process.kill()
            self.session = None
            self.meter = None


def planted_steps(steps: int, extra: float) -> int:
    """Return how many steps to add to `steps` for the share `extra` of additional work."""
    return round(steps * extra)
