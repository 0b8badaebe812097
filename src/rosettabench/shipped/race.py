"""A race: libraries take turns, one whole training after the other, each in its own process.

Trainings go set by set and seed by seed. Another library begins with every seed, so that a machine that drifts favours
none. With a budget, every library first trains one epoch on every set. The sets share the remaining time, and the time
of one epoch decides how many fit. Each finished training is stored, so an interrupted race can be resumed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter

import numpy as np

from rosettabench.data.find import find
from rosettabench.data.series.monash import monash_set
from rosettabench.data.series.prepare_series import prepare_series
from rosettabench.data.series.series import PreparedSeries
from rosettabench.environments.environment import Environment, Environments
from rosettabench.environments.lock import load_lock
from rosettabench.errors import EnvironmentFault, FailureKind, WorkerError
from rosettabench.lab.display import Display
from rosettabench.lab.forecasts import forecasts, quantiles_to_show, series_to_show
from rosettabench.lab.journal import Journal
from rosettabench.lab.owner import at_work
from rosettabench.plan.request import trainings_asked
from rosettabench.plan.trainings import epochs_words
from rosettabench.shipped.budget import Cost, affordable
from rosettabench.shipped.library import Library, find_library
from rosettabench.shipped.record import (
    Absence,
    Fact,
    FinishedTraining,
    Installed,
    TrainingPace,
    UsedSet,
)
from rosettabench.shipped.results import Results
from rosettabench.shipped.trainer import Trainer
from rosettabench.statistics.forecast_accuracy import forecast_accuracy
from rosettabench.store.record import FailureStage, Finished, Interrupted, Record, Resumed
from rosettabench.store.schema import Run
from rosettabench.store.store import Store

PILOT = (1, 1)
"""Epochs and seeds of the pilot trainings, whose times decide how the budget is used."""


@dataclass(frozen=True)
class TrainingJob:
    """One training to do."""

    series: str
    library: Library
    seed: int
    epochs: int

    @property
    def title(self) -> str:
        """Its title in the display."""
        return f"{self.series}, seed {self.seed}, {self.library.name}"


@dataclass
class Race:
    """The trainings of one run, new or resumed."""

    store: Store
    cache: Path
    display: Display
    _sets: dict[str, tuple[PreparedSeries, Path | None]] = field(default_factory=dict, init=False)
    _environments: dict[str, Environment] = field(default_factory=dict, init=False)

    def go_on(self, run: Run, begun: float | None = None) -> Run:
        """Do every training of a run that is not done yet; return the run. Ctrl-C is stored and raised again.

        The budget counts from `begun`, by the monotonic clock; if None, from the moment when everything is ready.

        Raises EnvironmentFault if no library is available, and DataError for an invalid set.
        """
        asked = trainings_asked(run.request)
        assert asked is not None, f"run {run.id} asks for no trainings"
        self._request, self._begun = asked, begun
        self._journal = Journal(self.store, run.id)
        self._results = Results.of(run)
        with at_work(self.store, run, self.cache, self.display.tell):
            if run.events:
                self._journal.event(Resumed())
            try:
                with tempfile.TemporaryDirectory(prefix="rosetta-") as scratch:
                    self._scratch = Path(scratch)
                    self._race()
            except KeyboardInterrupt:
                self._journal.event(Interrupted())
                raise
            self._journal.event(Finished())
        return self.store.run(run.id)

    def _race(self) -> None:
        """First prepare everything that can fail, then train."""
        for series in self._request.sets:
            self._prepare(series)
        libraries = [library for name in self._request.libraries if self._install(library := find_library(name))]
        if not libraries:
            raise EnvironmentFault(
                "none of the libraries is available", "rosetta env make gluonts-torch@0.17.0 tells why."
            )
        begun = monotonic() if self._begun is None else self._begun
        self._end = None if self._request.budget is None else begun + self._request.budget
        entered = {series: self._entered_libraries(series, libraries) for series in self._request.sets}
        asked = self._request.epochs, len(self._request.seeds)
        pace = asked if self._end is None else PILOT
        self._do_all([job for series in entered for job in self._jobs(series, entered[series], *pace)])
        if self._end is None:
            return
        for place, series in enumerate(entered):
            able = [one for one in entered[series] if self._cost(series, one) is not None]
            pace = self._pace(series, able, len(entered) - place)
            self._do_all(list(self._jobs(series, able, *pace)))

    # -- before the trainings ------------------------------------------------------------------------------------------

    def _prepare(self, series: str) -> None:
        """Find or make a set of series, and store its description."""
        asked, chosen = self._request, monash_set(series)
        folder = Path(asked.data_dir) if asked.data_dir else None
        self.display.doing(f"data {series}")
        prepared = prepare_series(
            series,
            data_dir=folder,
            cache=self.cache,
            offline=asked.offline,
            asked=asked.data,
            progress=self.display.doing,
        )
        source = find(chosen, folder, self.cache, asked.offline, self.display.doing, asked.data).source
        self._sets[series] = prepared, source.paths.get("tsf") if source else None
        if not prepared.is_whole:
            self.display.tell(prepared.note)
        if series not in self._results.sets:
            self._note(
                UsedSet(
                    series=series,
                    origin=prepared.origin,
                    note=prepared.note,
                    digest=prepared.digest,
                    count=len(prepared),
                    context=prepared.context,
                    horizon=prepared.horizon,
                    frequency=prepared.frequency.word,
                    shown=tuple(series_to_show(prepared)),
                )
            )

    def _install(self, library: Library) -> bool:
        """Find or make the environment of a library and read its facts; return whether it can take part."""
        try:
            self.display.doing(f"environment {library.lock}")
            environments = Environments(self.cache / "environments")
            self._environments[library.name] = environments.make(load_lock(library.lock), self.display.doing)
        except EnvironmentFault as fault:
            return self._out(
                library, WorkerError(FailureKind.ENVIRONMENT, fault.what, fault.hint), FailureStage.ENVIRONMENT
            )
        if library.name in self._results.installed:
            return True
        try:
            with self._trainer(library) as trainer:
                self._note(
                    Installed(
                        library=library.name,
                        interpreter=trainer.interpreter,
                        packages={name: trainer.packages.get(name, "") for name in library.packages},
                        settings=trainer.settings(),
                        facts=tuple(Fact(**fact) for fact in trainer.facts()),
                    )
                )
        except WorkerError as error:
            return self._out(library, error, FailureStage.OPEN)
        return True

    def _out(self, library: Library, error: WorkerError, stage: FailureStage) -> bool:
        """Store that a library cannot take part at all; return False."""
        for series in self._request.sets:
            self._absent(series, library, None, stage, error)
        self.display.tell(f"{library.name} cannot take part: {error.what}")
        return False

    def _entered_libraries(self, series: str, libraries: Sequence[Library]) -> list[Library]:
        """Return the libraries that train on a set: all but those whose graph would take minutes to build."""
        prepared, _ = self._sets[series]
        long = [] if self._request.long else [one for one in libraries if one.too_long(*unroll(prepared))]
        for library in long:
            steps = sum(unroll(prepared))
            what = (
                f"not run: a window has {steps:,} steps, and for more than {library.longest_unroll} the graph takes "
                "minutes to build, or is never done"
            )
            error = WorkerError(FailureKind.TOO_LONG, what, "--long trains it anyway.")
            self._absent(series, library, None, FailureStage.PLAN, error)
            self.display.tell(f"{series}, {library.name}: {what}")
        return [library for library in libraries if library not in long]

    # -- the order of the trainings ------------------------------------------------------------------------------------

    def _jobs(self, series: str, libraries: Sequence[Library], epochs: int, seeds: int) -> Iterator[TrainingJob]:
        """Yield the trainings on a set that are not done; another library begins with every seed."""
        for turn, seed in enumerate(self._request.seeds[:seeds]):
            begins = turn % len(libraries) if libraries else 0
            for library in (*libraries[begins:], *libraries[:begins]):
                if not self._results.has(series, library.name, seed, epochs):
                    yield TrainingJob(series, library, seed, epochs)

    def _pace(self, series: str, libraries: Sequence[Library], sets: int) -> tuple[int, int]:
        """Return the epochs and the number of seeds for a set; `sets` sets, this one included, share the time left."""
        known = self._results.paces.get(series)
        if known is None:
            costs = [cost for one in libraries if (cost := self._cost(series, one)) is not None]
            epochs, seeds = self._affordable(costs, max(0.0, self._time_left()) / sets) if costs else (1, 1)
            known = TrainingPace(series=series, epochs=epochs, seeds=seeds)
            self._note(known)
        return known.epochs, known.seeds

    def _affordable(self, costs: Sequence[Cost], seconds: float) -> tuple[int, int]:
        """Return the epochs and the number of seeds that fit into `seconds`; with one epoch, the pilots are reused."""
        epochs, seeds = affordable(costs, seconds, self._request.epochs, len(self._request.seeds))
        if epochs > 1:
            return epochs, seeds
        return affordable(costs, seconds + sum(cost.of(1) for cost in costs), 1, len(self._request.seeds))

    def _cost(self, series: str, library: Library) -> Cost | None:
        """Return the cost of a library's trainings on a set, from its pilot; None if it has none."""
        pilot = self._results.training(series, library.name, self._request.seeds[0], 1)
        return None if pilot is None else Cost(pilot.whole_s - pilot.train_s, pilot.train_s)

    def _time_left(self) -> float:
        """Return the seconds until the budget is used up; infinite without one."""
        return float("inf") if self._end is None else self._end - monotonic()

    # -- one training --------------------------------------------------------------------------------------------------

    def _do_all(self, jobs: Sequence[TrainingJob]) -> None:
        """Do trainings one after the other."""
        for number, job in enumerate(jobs, start=1):
            self._do(job, number, len(jobs))

    def _do(self, job: TrainingJob, number: int, of: int) -> None:
        """Do one training, and store its result."""
        self.display.contest(job.title, number, of)
        if self._time_left() <= 0:
            error = WorkerError(
                FailureKind.OUT_OF_TIME, "not run: the budget was used", "A longer --budget, or fewer sets."
            )
            self._absent(job.series, job.library, job.seed, FailureStage.PLAN, error)
            return
        stage = Stage()
        try:
            self._note(self._train(job, stage))
        except WorkerError as error:
            self._absent(job.series, job.library, job.seed, stage.name, error)
            self.display.tell(f"{job.title}: {error.what}")

    def _train(self, job: TrainingJob, stage: Stage) -> FinishedTraining:
        """Parse, train, predict and score in a new process, each timed separately; return the result."""
        prepared, file = self._sets[job.series]
        begun = perf_counter()
        stage.name = FailureStage.OPEN
        with self._trainer(job.library) as trainer:
            stage.name = FailureStage.PARSE
            self.display.doing("parsing")
            parsed = trainer.parse(prepared, file)
            stage.name = FailureStage.TRAIN
            self.display.doing(f"training for {epochs_words(job.epochs)}")
            trained = trainer.train(prepared.context, job.epochs, self._request.samples, job.seed)
            if trained["elapsed_s"] <= 0:
                raise WorkerError(
                    FailureKind.CLOCK, f"the training took {trained['elapsed_s']} s by the worker's clock"
                )
            stage.name = FailureStage.PREDICT
            self.display.doing("predicting")
            predicted, paths = trainer.predict()
            stage.name = FailureStage.SCORE
            self.display.doing("scoring")
            if not np.isfinite(paths).all():
                raise WorkerError(FailureKind.ERROR, f"{job.library.name} has forecast numbers that are not finite")
            start = perf_counter()
            accuracy = forecast_accuracy(forecasts(prepared, paths), prepared.frequency.seasonality)
            scored = perf_counter() - start
            kept = tuple(quantiles_to_show(paths, [one.place for one in series_to_show(prepared)]))
        return FinishedTraining(
            series=job.series,
            library=job.library.name,
            seed=job.seed,
            epochs=job.epochs,
            import_s=trainer.import_s,
            parse_s=parsed["elapsed_s"],
            train_s=trained["elapsed_s"],
            predict_s=predicted["elapsed_s"],
            score_s=scored,
            **{f"{part}_s": seconds for part, seconds in trained.get("parts", {}).items()},
            whole_s=perf_counter() - begun,
            train_cpu_s=trained["cpu_s"],
            predict_cpu_s=predicted["cpu_s"],
            parsed="arrays" if file is None else "tsf",
            mase=accuracy.mase,
            smape=accuracy.smape,
            mean_weighted_quantile_loss=accuracy.mean_weighted_quantile_loss,
            forecasts=kept,
        )

    @contextmanager
    def _trainer(self, library: Library) -> Iterator[Trainer]:
        """Lend a trainer with its own folder, which is removed in the end with all files that the library wrote."""
        environment = self._environments[library.name]
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            place = Path(folder) / "worker"
            with Trainer(library, environment, self._request.threads, place, self._request.timeout) as trainer:
                yield trainer

    # -- the store -----------------------------------------------------------------------------------------------------

    def _absent(self, series: str, library: Library, seed: int | None, stage: FailureStage, error: WorkerError) -> None:
        """Store that a training is absent, and why."""
        self._note(
            Absence(
                series=series,
                library=library.name,
                seed=seed,
                stage=stage,
                kind=error.kind,
                what=error.what,
                hint=error.hint,
                details=error.details,
            )
        )

    def _note(self, record: Record) -> None:
        """Store a record, and add it to the results."""
        self._journal.event(record)
        self._results.take(record)


@dataclass
class Stage:
    """The stage of a training: where it fails, if it does."""

    name: FailureStage = FailureStage.START


def unroll(series: PreparedSeries) -> tuple[int, int]:
    """Return the context and the horizon of a set."""
    return series.context, series.horizon
