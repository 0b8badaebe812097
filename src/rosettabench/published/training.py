"""Measure quantities beyond steady steps: the first epoch, and the final accuracy or loss of whole trainings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from rosettabench.plan.setting import Value
from rosettabench.published.available import Available
from rosettabench.published.cell import PublishedCell, cells
from rosettabench.published.claim import ClaimPart, Quantity
from rosettabench.published.measurement import empty, with_interval, words
from rosettabench.statistics.quantile import t_quantile
from rosettabench.statistics.spread import interval_of_starts
from rosettabench.store.record import Phase
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import Measurement

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


def first_epoch(
    part: ClaimPart, where: Mapping[str, Value], runs: Sequence[RunSummary], here: Available
) -> Measurement:
    """Measure the time of a new process's first epoch over that of a later one.

    The first epoch takes longer by the excess of the first step and the warm-up blocks over as many steady steps. Each
    process has it once, so an interval needs two processes (interval_of_starts).
    """
    assert part.a is not None
    found = next(cells(runs, part.workload, part.a, where, here), None)
    if found is None:
        return Measurement(reasons=(Note(NoteKind.ARM_UNMEASURED, words(part.a)),))
    if not found.judged:
        return replace(empty(found), reasons=(Note(NoteKind.UNJUDGED, found.entry),))
    ratios = [start for session in set(found.processes.values()) for start in start_ratios(found, session)]
    interval = interval_of_starts(ratios, found.confidence)
    if interval is None:
        return replace(empty(found), value=ratios[0] if ratios else None, reasons=(Note(NoteKind.PROCESSES),))
    return with_interval(empty(found), interval)


def start_ratios(cell: PublishedCell, session: int) -> Iterator[float]:
    """Yield a process's first epoch over a later one; nothing if data or first step were not recorded."""
    samples = [sample for sample in cell.entry.samples if sample.session == session]
    steady = [sample for sample in samples if sample.phase == Phase.TURN]
    warm_up = [sample for sample in samples if sample.phase == Phase.WARM_UP]
    first = cell.entry.first_steps.get(session)
    data = cell.contest.data
    if not steady or first is None or data is None or not data.train:
        return
    step = sum(sample.elapsed_s for sample in steady) / sum(sample.steps for sample in steady)
    extra = first - step + sum(sample.elapsed_s - sample.steps * step for sample in warm_up)
    epoch = data.train // cell.contest.setting["batch_size"] * step
    yield max(epoch + extra, step) / epoch


def over_seeds(part: ClaimPart, where: Mapping[str, Value], runs: Sequence[RunSummary], here: Available) -> Measurement:
    """Measure the difference of test accuracies, or the ratio of final losses, over at least two seeds."""
    assert part.a is not None
    assert part.b is not None
    value = last_accuracy if part.quantity is Quantity.ACCURACY else last_loss
    found: dict[int, tuple[PublishedCell, PublishedCell]] = {}
    ours, theirs = (list(cells(runs, part.workload, arm, where, here)) for arm in (part.a, part.b))
    for a, b in product(ours, theirs):
        alike = a.contest.setting.get("seed") == b.contest.setting.get("seed")
        if alike and a.run is b.run and tells_quality(a) and tells_quality(b):
            found.setdefault(int(a.contest.setting.get("seed", 0)), (a, b))
    values = [(value(a), value(b)) for a, b in found.values()]
    known = [(one, other) for one, other in values if one is not None and other is not None]
    if len(known) < 2:
        return Measurement(reasons=(Note(NoteKind.TRAINED_SEEDS, len(known)),))
    measurement = replace(empty(*next(iter(found.values()))), remarks=(Note(NoteKind.OVER_SEEDS, len(known)),))
    if part.quantity is Quantity.LOSS:
        return with_interval(measurement, interval_of_starts([one / other for one, other in known]))
    return with_difference(measurement, [one - other for one, other in known])


def tells_quality(cell: PublishedCell) -> bool:
    """Return whether accuracies and losses of a cell are meaningful: it is proven, on the complete real data."""
    made_up = cell.contest.data is not None and cell.contest.data.synthetic
    return cell.judged and cell.contest.on_real_data and not made_up


def with_difference(measurement: Measurement, differences: Sequence[float]) -> Measurement:
    """Return a measurement with the mean of differences and Student's t interval for it."""
    from statistics import fmean, stdev

    middle = fmean(differences)
    reach = t_quantile(0.95, 1, len(differences) - 1) * stdev(differences) / len(differences) ** 0.5
    return replace(measurement, value=middle, low=middle - reach, high=middle + reach)


def last_accuracy(cell: PublishedCell) -> float | None:
    """Return the test accuracy at the end of a whole training; None if there was none."""
    return next((one.value for one in reversed(cell.entry.accuracies) if one.epoch is not None), None)


def last_loss(cell: PublishedCell) -> float | None:
    """Return the training loss of the last block of a whole training; None if there was none."""
    whole = last_accuracy(cell) is not None and cell.entry.curve
    return cell.entry.curve[-1].loss if whole else None
