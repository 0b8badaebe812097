"""The area under the ROC curve: how well scores separate samples with a label from samples without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class MeanAuc:
    """The mean of the areas of several labels; `defined` says which labels have one and are part of the mean.

    `value` is None if no label has an area.
    """

    value: float | None
    defined: tuple[bool, ...]


def mean_auc(scores: NDArray[Any], labels: NDArray[Any]) -> MeanAuc:
    """Return the mean of `roc_auc` over the columns of (samples, labels); those without an area are left out."""
    areas = [roc_auc(own, label) for own, label in zip(scores.T, labels.T, strict=True)]
    known = [area for area in areas if area is not None]
    return MeanAuc(sum(known) / len(known) if known else None, tuple(area is not None for area in areas))


def roc_auc(scores: NDArray[Any], labels: NDArray[Any]) -> float | None:
    """Return the probability that a sample with label 1 has a higher score than one with label 0; ties count half.

    It is Mann and Whitney's U over the number of pairs (Hanley and McNeil 1982, "The meaning and use of the area under
    a receiver operating characteristic (ROC) curve"). None if all samples have one label, so that there are no pairs,
    or if a score is NaN.
    """
    from scipy.stats import rankdata

    positive = labels > 0
    have, lack = int(positive.sum()), int((~positive).sum())
    if not have or not lack or np.isnan(scores).any():
        return None
    ranks = rankdata(scores)  # ties get their mean rank
    above = float(ranks[positive].sum()) - have * (have + 1) / 2
    return above / (have * lack)
