"""Whole trainings by libraries as shipped, summarised: set by set, and what differs between the libraries."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from rosettabench.data.series.monash import all_monash_sets
from rosettabench.plan.request import trainings_asked
from rosettabench.plan.trainings import EPOCHS, SEEDS, TrainingRequest, epochs_words
from rosettabench.shipped.record import Absence, FinishedTraining, Installed, UsedSet
from rosettabench.shipped.results import Results
from rosettabench.summary import figures
from rosettabench.summary.records import (
    Fault,
    Headline,
    LibraryDifference,
    MeasuredFigure,
    TrainedEntry,
    TrainedSet,
    TrainingsSummary,
)

if TYPE_CHECKING:
    from rosettabench.store.schema import Run

SENTENCE = (
    "Library against library, not equal work: each trains its own DeepAR as it is shipped. What differs between them "
    "stands below; nobody is ranked."
)

STUDY_RELEASE = "0.13.3"
"""Of GluonTS: the study's."""


def summarise_trainings(run: Run) -> TrainingsSummary | None:
    """Return what a run of trainings has found; None for a run that is none."""
    request, results = trainings_asked(run.request), Results.of(run)
    if request is None:
        return None
    installed = tuple(results.installed[name] for name in request.libraries if name in results.installed)
    sets = tuple(trained_set(request, results, used) for used in results.sets.values())
    return TrainingsSummary(
        request=request,
        sentence=SENTENCE,
        scale=scale(request, sets),
        sets=sets,
        installed=installed,
        differences=tuple(differences(installed)),
        remarks=tuple(remarks(installed)),
        faults=tuple(fault(one) for one in results.absences.values()),
    )


def trained_set(request: TrainingRequest, results: Results, used: UsedSet) -> TrainedSet:
    """Return what was found on one set."""
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
            absence=absence(results, used.series, name),
        )
        for name, found in of_library.items()
    )
    seeds = tuple(dict.fromkeys(one.seed for found in of_library.values() for one in found))
    warning = "" if used.is_whole else used.note
    return TrainedSet(used, epochs, seeds, headline(entries, epochs, seeds), warning, entries)


def relative(found: Sequence[FinishedTraining], of: Sequence[FinishedTraining]) -> MeasuredFigure | None:
    """Return the ratio of training times, seed by seed: the median and the extremes; None without a common seed."""
    others = {one.seed: one.train_s for one in of}
    ratios = [one.train_s / others[one.seed] for one in found if one.seed in others]
    return MeasuredFigure(median(ratios), min(ratios), max(ratios), len(ratios)) if ratios else None


def absence(results: Results, series: str, library: str) -> str:
    """Return why trainings of a library on a set are missing, each reason once."""
    said = dict.fromkeys(
        one.what
        for (its_set, its_library, _), one in results.absences.items()
        if (its_set, its_library) == (series, library)
    )
    return "; ".join(said)


def headline(entries: Sequence[TrainedEntry], epochs: int, seeds: Sequence[int]) -> Headline:
    """Return who trained faster, and over how many seeds that was seen."""
    extent = f"{epochs_words(epochs)}, {seeds_words(seeds)}"
    first = next((one for one in entries if one.fastest), None)
    others = [(one.label, one.relative) for one in entries if one.relative is not None]
    if first is None:
        return Headline("Nothing was trained", "See below why.")
    if not others:
        return Headline(f"Only {first.label} was trained", f"{extent}.")
    answer = "; ".join(
        f"{label} trains {figures.ratio(ratio.value)} as long as {first.label}"
        + (f" ({figures.span(ratio.low, ratio.high)})" if ratio.times > 1 else "")
        for label, ratio in others
    )
    return Headline(answer, f"{extent}: the median, and the extremes over seeds." if len(seeds) > 1 else f"{extent}.")


def scale(request: TrainingRequest, sets: Sequence[TrainedSet]) -> str:
    """Return how much of the study's trainings was done."""
    of_study = [key for key, one in all_monash_sets().items() if one.study]
    trained = [one for one in sets if one.seeds]
    count = sum(one.used.series in of_study for one in trained)
    epochs = sorted({one.epochs for one in trained}) or [request.epochs]
    span = epochs_words(epochs[0]) if len(epochs) == 1 else f"{epochs[0]} to {epochs_words(epochs[-1])}"
    seeds = {seed for one in sets for seed in one.seeds}
    said = (
        f"{count} of the study's {len(of_study)} sets, {span} of its {EPOCHS}, {seeds_words(seeds)} of its {len(SEEDS)}"
    )
    whole = count == len(of_study) and epochs == [EPOCHS] and seeds.issuperset(SEEDS)
    return f"{said}." if whole else f"Scaled down: {said}."


def seeds_words(seeds: Sequence[int] | set[int]) -> str:
    """Return a number of seeds in words."""
    return "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"


def differences(installed: Sequence[Installed]) -> list[LibraryDifference]:
    """Return what was read from the libraries' code, side by side: what differs first, then what is the same."""
    found: dict[str, LibraryDifference] = {}
    for library in installed:
        for fact in library.facts:
            one = found.setdefault(fact.what, LibraryDifference(fact.what, {}, {}))
            one.values[library.library] = fact.value
            one.where[library.library] = fact.where
    return sorted(found.values(), key=lambda one: one.same)


def remarks(installed: Sequence[Installed]) -> list[str]:
    """Return what must be known of the differences: what they were read from, and what could not be read."""
    if not installed:
        return []
    releases = [
        f"{one.library}: {', '.join(f'{name} {version}' for name, version in one.packages.items() if version)}"
        for one in installed
    ]
    read = f"Read from the installed code, not from anybody's description: {'; '.join(releases)}."
    unread = f"The study had GluonTS {STUDY_RELEASE}, which is not installed here: what it did is not known."
    return [read, unread]


def fault(one: Absence) -> Fault:
    """Return an absence as tables of failures show it."""
    where = one.series if one.seed is None else f"{one.series}, seed {one.seed}"
    return Fault(where, one.library, one.stage, one.kind, one.what, one.hint)
