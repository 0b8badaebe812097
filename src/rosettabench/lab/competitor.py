"""A competitor: one entry of a contest with its live worker, and every number of it on its way to the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosettabench.catalogue.contender import Contender
from rosettabench.client.session import Session, Turn, Work
from rosettabench.data.series.windows import known_inputs
from rosettabench.environments.environment import Environment
from rosettabench.errors import WorkerError
from rosettabench.files import save_array
from rosettabench.lab.forecasts import judge_forecasts
from rosettabench.lab.journal import Journal
from rosettabench.lab.score import scored_by_logits, scores
from rosettabench.resources.memory import read_memory
from rosettabench.resources.meter import Meter
from rosettabench.resources.sensors import Sensors
from rosettabench.store.record import FigureName, ReadBack, Unreadable, UsedEnvironment
from rosettabench.store.schema import Block, Entry, Figure
from rosettabench.store.store import now

FASTEST_STEP_S = 1e-7
"""No step takes less: it is what a call of a function takes that does nothing."""

INTERRUPTED = WorkerError("interrupted", "interrupted")
"""Why a competitor has left that was abandoned."""


class Competitor:
    """One entry at work.

    A failure of its worker is written to the store and takes it out of the contest: `failure` then says why, and
    everything else goes on. `proven`: whether its proof held; where it did not, it may be timed all the same, at the
    user's insistence.
    """

    def __init__(self, contender: Contender, row: Entry, journal: Journal, number: int) -> None:
        self.contender = contender
        self.row = row
        self.journal = journal
        self.environment: Environment | None = None
        self.session: Session | None = None
        self.meter: Meter | None = None
        self.settings: dict[str, Any] = {}
        self.failure: WorkerError | None = None
        self.done: Turn | None = None
        self.proven = True
        self._number = number

    @property
    def out(self) -> str | None:
        """Why it has left the contest; None while it is in it."""
        return None if self.failure is None else self.failure.what

    @property
    def label(self) -> str:
        """Its name in the contest."""
        return self.contender.label

    @property
    def live(self) -> Session:
        """Its session; only to be asked for while it is in the contest."""
        assert self.session is not None
        return self.session

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Do part of the contest: a failing worker becomes a Failure row of this stage, with its cause."""
        try:
            yield
        except WorkerError as error:
            self.fail(name, error)

    def fail(self, stage: str, error: WorkerError) -> None:
        """Write a failure down and leave the contest. Who has left already is not told of once more."""
        if self.failure is not None:
            return
        self.failure = error
        self.journal.failure(stage, error)
        if self.session is not None:
            self.session.process.kill()

    def abandon(self) -> None:
        """Leave because the user wants to stop: that its worker is ended then is no failure."""
        self.failure = INTERRUPTED

    def enter(self, environment: Environment, work: Work, folder: Path, timeout: float) -> None:
        """Start a worker in a place of its own below `folder`; import, build and load: each a figure."""
        self.environment = environment
        self._number += 1
        place = folder / f"entry-{self.row.id}-{self._number}"
        self.session = Session(self.contender.entry, self.contender.mode, environment, work, place, timeout)
        opened = self.session.open()
        self.figure(FigureName.IMPORT, opened["import_s"])
        self.journal.event(
            UsedEnvironment(kind=environment.kind, interpreter=environment.version, packages=opened["packages"])
        )
        self.figure(FigureName.BUILD, self.session.build()["build_s"])
        self.figure(FigureName.LOAD, self.session.load())

    @contextmanager
    def proving(self, work: Work, folder: Path) -> Iterator[Session]:
        """Lend a session for a proof: its own, or one that is started for a proof of other extents.

        What is timed has then never seen those: a framework compiles for the shapes that it meets.
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

    def first_step(self) -> None:
        """Time the very first step, compilation included; read the settings back; then start the model afresh."""
        self.figure(FigureName.FIRST_STEP, self.live.block(0, 1).elapsed_s)
        self.read_settings()
        self.live.build()

    def read_settings(self) -> None:
        """Read back what is in force, and write it down: after the first step, and again after the last turn."""
        self.settings = self.live.settings()
        self.journal.event(ReadBack.of(self.settings))

    def watch(self, sensors: Sensors) -> None:
        """From now on, meter what the worker uses in turns."""
        self.meter = Meter(self.live.process.pid, sensors)

    def turn(self, phase: str, number: int, position: int, first: int, steps: int) -> float:
        """Do one block and write it down; return its seconds per step.

        Planted work is done, and not counted: that is what makes it a plant.
        """
        done = self.done = self._block(phase, first, steps + planted_steps(steps, self.contender.extra))
        if done.elapsed_s < steps * FASTEST_STEP_S:
            raise WorkerError("clock", f"{steps} steps took {done.elapsed_s} s: the worker's clock is wrong")
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

    def _block(self, phase: str, first: int, steps: int) -> Turn:
        """Do a block; one that counts is metered."""
        if phase != "turn" or self.meter is None:
            return self.live.block(first, steps)
        with self.meter.window():
            return self.live.block(first, steps)

    def evaluate(self, samples: int, epoch: int | None = None) -> None:
        """Time one evaluation of the first `samples` test samples, and write the workload's metric of them down."""
        work = self.live.work
        place = self.live.folder / "evaluation" if scored_by_logits(work.workload) else None
        found = self.live.evaluate(samples, place)
        detail = {"samples": found["samples"], "correct": found.get("correct"), "epoch": epoch}
        self.figure(FigureName.EVALUATE, found["elapsed_s"], **detail)
        for score in scores(work, found):
            self.figure(score.name, score.value, **detail, **score.detail)

    def forecast(self) -> None:
        """Draw sample paths of what follows each series, judge them, and write down what they are worth."""
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
        """Return the seconds that the clock shows for an empty block: what reading and synchronising cost."""
        with self.stage("warm-up"):
            return self.live.tick()
        return 0.0

    def note_memory(self) -> None:
        """Write the memory of the process tree down, and read the settings again: they may have changed on the way."""
        found = read_memory(self.live.process.pid)
        for name, value in found.values.items():
            self.figure(FigureName(name), value)
        if found.unreadable:
            self.journal.event(Unreadable.of(found.unreadable))
        self.read_settings()

    def _note_usage(self) -> None:
        """Write down what all turns of this session have used together, and of what could not be read, why."""
        if self.meter is None or not self.meter.windows:
            return
        for amount in self.meter.amounts():
            self.figure(FigureName(amount.name), amount.value, **amount.detail)
        self.journal.event(Unreadable.of(self.meter.unreadable))

    def figure(self, name: FigureName, value: float, **detail: Any) -> None:  # noqa: ANN401 (a detail is JSON)
        """Write one figure of this session down."""
        self.journal.store.add(
            Figure(entry_id=self.row.id, at=now(), session=self._number, name=name, value=value, detail=dict(detail))
        )

    @property
    def number(self) -> int:
        """Which process of this entry it is: 1, and one more after each start; 0 before the first."""
        return self._number

    def leave(self) -> None:
        """End the worker, and write down what it used."""
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
    """Return how many steps are added to `steps` for `extra` more work, as a share."""
    return round(steps * extra)
