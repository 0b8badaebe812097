"""Summarise complete trainings by libraries as shipped: set by set, and the differences between the libraries."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from rosettabench.plan.request import TrainingRequest, trainings_asked
from rosettabench.shipped.record import Absence, FinishedTraining, Installed, UsedSet
from rosettabench.shipped.results import Results
from rosettabench.summary.records import (
    Fault,
    LibraryDifference,
    MeasuredFigure,
    TrainedEntry,
    TrainedSet,
    TrainingsSummary,
)

if TYPE_CHECKING:
    from rosettabench.store.schema import Run


def summarise_trainings(run: Run) -> TrainingsSummary | None:
    """Return the summary of a run's trainings; None for a run without trainings."""
    request, results = trainings_asked(run.request), Results.of(run)
    if request is None:
        return None
    installed = tuple(results.installed[name] for name in request.libraries if name in results.installed)
    sets = tuple(trained_set(request, results, used) for used in results.sets.values())
    return TrainingsSummary(
        request=request,
        sets=sets,
        installed=installed,
        differences=tuple(differences(installed)),
        faults=tuple(fault(one) for one in results.absences.values()),
    )


def trained_set(request: TrainingRequest, results: Results, used: UsedSet) -> TrainedSet:
    """Return the summary of the trainings on one set."""
    pace = results.paces.get(used.series)
    epochs = request.epochs if request.budget is None else pace.epochs if pace else 1
    of_library = {
        name: tuple(
            found for seed in request.seeds if (found := results.training(used.series, name, seed, epochs)) is not None
        )
        for name in request.libraries
    }
    times = {name: median(one.train_s for one in found) for name, found in of_library.items() if found}
    fastest = min(times, key=lambda name: times[name]) if times else None
    entries = tuple(
        TrainedEntry(
            label=name,
            trainings=found,
            relative=None if fastest in (None, name) else relative(found, of_library[str(fastest)]),
            fastest=name == fastest,
            absences=absences(results, used.series, name),
        )
        for name, found in of_library.items()
    )
    seeds = tuple(dict.fromkeys(one.seed for found in of_library.values() for one in found))
    return TrainedSet(used, epochs, seeds, entries)


def relative(found: Sequence[FinishedTraining], of: Sequence[FinishedTraining]) -> MeasuredFigure | None:
    """Return the ratio of training times by seed, as median and extremes; None without a common seed."""
    others = {one.seed: one.train_s for one in of}
    ratios = [one.train_s / others[one.seed] for one in found if one.seed in others]
    return MeasuredFigure(median(ratios), min(ratios), max(ratios), len(ratios)) if ratios else None


def absences(results: Results, series: str, library: str) -> tuple[str, ...]:
    """Return why trainings of a library on a set are missing, each reason once."""
    said = dict.fromkeys(
        one.what
        for (its_set, its_library, _), one in results.absences.items()
        if (its_set, its_library) == (series, library)
    )
    return tuple(said)


def differences(installed: Sequence[Installed]) -> list[LibraryDifference]:
    """Return the properties of the libraries' code side by side: first those that differ."""
    found: dict[str, LibraryDifference] = {}
    for library in installed:
        for fact in library.facts:
            one = found.setdefault(fact.what, LibraryDifference(fact.what, {}, {}))
            one.values[library.library] = fact.value
            one.where[library.library] = fact.where
    return sorted(found.values(), key=lambda one: one.same)


def fault(one: Absence) -> Fault:
    """Return an absence in the form of a table of failures."""
    where = one.series if one.seed is None else f"{one.series}, seed {one.seed}"
    return Fault(where, one.library, one.stage, one.kind, one.what, one.hint)
