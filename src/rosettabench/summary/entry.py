"""The figures of one contender, from its rows in the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING

from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.statistics.ranking import geometric_mean
from rosettabench.statistics.rounds import possible
from rosettabench.store.record import FigureName, Phase
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import (
    Accuracy,
    Costs,
    CurvePoint,
    MeanAucSummary,
    MeanLikelihood,
    MeasuredFigure,
    MetricValue,
    Sample,
)

if TYPE_CHECKING:
    from rosettabench.store.schema import Entry, Figure


def estimate(values: Sequence[float], confidence: float) -> Estimate | None:
    """Return the typical value of `values`, one per round, with its interval; None without a possible value.

    The interval is that of ratios (statistics/interval.py) to one second, or to one sample per second. Unlike a ratio
    within rounds it includes the drift of the machine, so two such intervals say little about a difference.
    """
    counted = list(filter(possible, values))
    if not counted:
        return None
    interval = ratio_interval(counted, confidence)
    if interval is None:
        return Estimate(geometric_mean(counted), None, None, len(counted))
    return from_interval(interval)


def from_interval(interval: Interval) -> Estimate:
    """Return an interval of the statistics as an Estimate."""
    return Estimate(interval.ratio, interval.low, interval.high, interval.rounds)


def summarise_values(values: Iterable[float]) -> MeasuredFigure | None:
    """Return median and extremes; None without values."""
    found = list(values)
    return MeasuredFigure(median(found), min(found), max(found), len(found)) if found else None


def summarise_costs(entry: Entry, turns: Sequence[Sample]) -> Costs:
    """Return the separate costs of the contender, whose counted blocks are `turns`.

    Figures of several processes become median and extremes.
    """
    evaluations = [figure for figure in figures_named(entry, FigureName.EVALUATE) if figure.detail.get("samples")]
    elapsed = sum(block.elapsed_s for block in turns)
    return Costs(
        import_s=summarise_values(per_session(entry, FigureName.IMPORT)),
        build_s=summarise_values(per_session(entry, FigureName.BUILD)),
        load_s=summarise_values(per_session(entry, FigureName.LOAD)),
        first_step_s=summarise_values(per_session(entry, FigureName.FIRST_STEP)),
        evaluate_per_1000_s=summarise_values(1000 * figure.value / figure.detail["samples"] for figure in evaluations),
        peak_memory_bytes=summarise_values(peaks(entry)),
        cpu_cores=sum(block.cpu_s for block in turns) / elapsed if elapsed else None,
    )


def figures_named(entry: Entry, name: FigureName) -> list[Figure]:
    """Return the entry's figures of one name, in the order of their measurement."""
    return [figure for figure in entry.figures if figure.name == name]


def per_session(entry: Entry, name: FigureName) -> list[float]:
    """Return the sum of a figure in each process. Loading, for example, is measured for each part of the data."""
    sums: dict[int, float] = defaultdict(float)
    for figure in figures_named(entry, name):
        sums[figure.session] += figure.value
    return list(sums.values())


def peaks(entry: Entry) -> list[float]:
    """Return the highest peak memory of each process, in bytes."""
    highest: dict[int, float] = defaultdict(float)
    for figure in figures_named(entry, FigureName.PEAK_MEMORY):
        highest[figure.session] = max(highest[figure.session], figure.value)
    return list(highest.values())


def summarise_accuracies(entry: Entry) -> tuple[Accuracy, ...]:
    """Return the entry's evaluations by accuracy, in the order of their measurement."""
    found = figures_named(entry, FigureName.ACCURACY)
    return tuple(Accuracy(figure.detail.get("epoch"), figure.value, figure.detail.get("samples")) for figure in found)


def summarise_areas(entry: Entry) -> tuple[MeanAucSummary, ...]:
    """Return the entry's evaluations by the area under the ROC curve, in the order of their measurement."""
    return tuple(
        MeanAucSummary(detail.get("epoch"), figure.value, detail.get("samples"), detail["labels"], detail["of"])
        for figure in figures_named(entry, FigureName.MEAN_AUC)
        for detail in (figure.detail,)
    )


def summarise_likelihoods(entry: Entry) -> tuple[MeanLikelihood, ...]:
    """Return the entry's evaluations by the likelihood of the true values, in the order of their measurement."""
    found = figures_named(entry, FigureName.MEAN_NLL)
    return tuple(
        MeanLikelihood(figure.detail.get("epoch"), figure.value, figure.detail.get("samples")) for figure in found
    )


def summarise_metrics(entry: Entry) -> tuple[MetricValue, ...]:
    """Return the entry's evaluations by the metric of its folder, in the order of their measurement."""
    return tuple(
        MetricValue(figure.detail["metric"], figure.detail.get("epoch"), figure.value, figure.detail.get("samples"))
        for figure in figures_named(entry, FigureName.METRIC)
    )


def summarise_curve(samples: Sequence[Sample], batch_size: int) -> tuple[CurvePoint, ...]:
    """Return the training loss over the number of samples seen.

    A stretch that was trained again after a restart counts once. A loss that is not finite leaves a gap.
    """
    seen: dict[int, CurvePoint] = {}
    for block in sorted(samples, key=lambda block: block.phase != Phase.TURN):
        if block.loss is not None and isfinite(block.loss):
            end = (block.first + block.steps) * batch_size
            seen.setdefault(end, CurvePoint(end, block.loss))
    return tuple(seen[end] for end in sorted(seen))
