"""Measure a claim by as-shipped trainings: the ratio of their training times, over seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rosettabench.data.origin import Origin
from rosettabench.data.series.monash import all_monash_sets
from rosettabench.plan.series import SERIES
from rosettabench.plan.trainings import EPOCHS
from rosettabench.published.claim import EVERY, ClaimPart, Quantity
from rosettabench.published.measurement import lacking_sets, with_interval, words
from rosettabench.statistics.spread import interval_of_starts
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import Measurement

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary, TrainedSet

Times = dict[int, tuple[float, float]]
"""{seed: training seconds of arm `a` and arm `b`}."""


def trainings_measured(part: ClaimPart, runs: Sequence[RunSummary]) -> Measurement:
    """Measure the ratio of arm `a` to arm `b` in the newest of `runs` that trained both on the part's sets."""
    series = str(part.where[SERIES])
    for run in runs:
        found = [(one, times) for one in sets_of(run, series) if (times := times_of(part, one))]
        if found:
            return measure_trainings(part, run, found, series)
    sets = "any set" if series == EVERY else series
    return Measurement(reasons=(Note(NoteKind.PAIR_UNTRAINED, words(part.a), words(part.b), sets),))


def sets_of(run: RunSummary, series: str) -> Iterator[TrainedSet]:
    """Yield the sets of a run that a part is about: one, or all of the study's."""
    known = all_monash_sets()
    for one in run.trainings.sets if run.trainings else ():
        if one.used.series == series or (series == EVERY and known[one.used.series].study):
            yield one


def times_of(part: ClaimPart, found: TrainedSet) -> Times:
    """Return the training times of both arms on a set, for the seeds that both have."""
    assert part.a is not None
    assert part.b is not None
    ours, theirs = (
        {one.seed: one.train_s for entry in found.entries if entry.label in arm.frameworks for one in entry.trainings}
        for arm in (part.a, part.b)
    )
    return {seed: (ours[seed], theirs[seed]) for seed in ours if seed in theirs}


def measure_trainings(
    part: ClaimPart, run: RunSummary, found: Sequence[tuple[TrainedSet, Times]], series: str
) -> Measurement:
    """Measure the ratio of the sums over sets, seed by seed, with Student's interval over the seeds.

    Only seeds with trainings on every set count.
    """
    seeds = sorted(set.intersection(*(set(times) for _, times in found)))
    sums = [tuple(sum(times[seed][arm] for _, times in found) for arm in (0, 1)) for seed in seeds]
    ratios = [b / a if part.quantity is Quantity.THROUGHPUT else a / b for a, b in sums]
    empty = Measurement(
        what=f"{words(part.a)} over {words(part.b)}",
        run=run.id,
        contests=tuple(one.used.series for one, _ in found),
        remarks=tuple(remarks(found, series, seeds)),
        missing=lacking_sets(len(found), study_sets()) if series == EVERY else None,
    )
    if len(ratios) < 2:
        only = ratios[0] if ratios else None
        return replace(empty, value=only, reasons=(Note(NoteKind.SEEDS),))
    return with_interval(empty, interval_of_starts(ratios))


def study_sets() -> int:
    """Return the number of sets of series in the study."""
    return sum(one.study for one in all_monash_sets().values())


def remarks(found: Sequence[tuple[TrainedSet, Times]], series: str, seeds: Sequence[int]) -> Iterator[Note]:
    """Yield the remarks that a reader needs: the number of sets, epochs and seeds, and the kind of data."""
    if series == EVERY:
        yield Note(NoteKind.OVER_SETS, len(found), study_sets())
    epochs = sorted({one.epochs for one, _ in found})
    if epochs != [EPOCHS]:
        alike, ends = len(epochs) == 1, (epochs[0], epochs[-1], EPOCHS)
        yield Note(NoteKind.EPOCHS, *ends[1:]) if alike else Note(NoteKind.EPOCH_SPAN, *ends)
    yield Note(NoteKind.ONE_SEED) if len(seeds) == 1 else Note(NoteKind.SO_MANY_SEEDS, len(seeds))
    if any(one.used.is_stand_in for one, _ in found):
        yield Note(NoteKind.DATA, Origin.STAND_IN)
