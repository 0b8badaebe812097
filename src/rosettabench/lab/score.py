"""Score an evaluation by the workload's metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.workload import LIKELIHOOD, MEAN_AUC, Workload
from rosettabench.client.session import Work
from rosettabench.statistics.auc import mean_auc
from rosettabench.statistics.metrics import METRICS
from rosettabench.statistics.student_t import negative_log_likelihood, weighted_mean
from rosettabench.store.record import FigureName


@dataclass(frozen=True)
class Score:
    """One number of an evaluation: name, value and detail of its figure (store/record.py)."""

    name: FigureName
    value: float
    detail: dict[str, Any] = field(default_factory=dict)


def scored_by_logits(workload: Workload) -> bool:
    """Return whether the metric needs the logits, not only the number of correct samples."""
    return workload.metric is not None and (is_computed(workload) or workload.metric.name in (MEAN_AUC, LIKELIHOOD))


def is_computed(workload: Workload) -> bool:
    """Return whether the metric is one of METRICS that a worker does not count by itself.

    It counts the right samples of the catalogue's classifiers; labels of a folder may have any shape.
    """
    name = None if workload.metric is None else workload.metric.name
    return name in METRICS and (workload.is_own or name != "accuracy")


def scores(work: Work, found: Mapping[str, Any]) -> Iterator[Score]:
    """Yield the scores in the reply to an `evaluate` request; none if the metric is not defined on its samples."""
    if scored_by_logits(work.workload):
        logits = np.load(found["files"]["logits"], allow_pickle=False)
        labels = np.load(work.data.test.labels, mmap_mode="r", allow_pickle=False)[: len(logits)]
        if is_computed(work.workload):
            yield from computed_score(work.workload, logits, labels)
            return
        if labels.ndim == 3:
            values, weights = labels[..., 0], labels[..., 1]
            yield Score(FigureName.MEAN_NLL, weighted_mean(negative_log_likelihood(logits, values), weights))
            return
        area = mean_auc(logits, labels)
        if area.value is not None:
            yield Score(FigureName.MEAN_AUC, area.value, {"labels": sum(area.defined), "of": len(area.defined)})
    elif "correct" in found:
        yield Score(FigureName.ACCURACY, found["correct"] / max(1, found["samples"]))


def computed_score(workload: Workload, outputs: NDArray[Any], labels: NDArray[Any]) -> Iterator[Score]:
    """Yield a metric of METRICS; nothing where it is not defined for these outputs and labels."""
    assert workload.metric is not None  # only then are the outputs wanted
    value = METRICS[workload.metric.name](outputs, labels)
    if value is not None:
        yield Score(FigureName.METRIC, value, {"metric": workload.metric.name})
