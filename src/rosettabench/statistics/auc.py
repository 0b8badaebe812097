"""The area under the ROC curve: how well scores part the samples that have a label from those that have it not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class MeanAuc:
    """The mean of the areas of several labels; `defined` tells which of them have one, and so are part of it.

    `value` is None where no label has.
    """

    value: float | None
    defined: tuple[bool, ...]


def mean_auc(scores: NDArray[Any], labels: NDArray[Any]) -> MeanAuc:
    """Return the mean of `roc_auc` over the columns of (samples, labels); those without an area are left out."""
    areas = [roc_auc(own, label) for own, label in zip(scores.T, labels.T, strict=True)]
    known = [area for area in areas if area is not None]
    return MeanAuc(sum(known) / len(known) if known else None, tuple(area is not None for area in areas))


def roc_auc(scores: NDArray[Any], labels: NDArray[Any]) -> float | None:
    """Return the chance that a sample with the label, 1, has a higher score than one without, 0; ties count half.

    It is Mann and Whitney's U over the number of such pairs (Hanley and McNeil 1982, "The meaning and use of the area
    under a receiver operating characteristic (ROC) curve"). None where all samples are of one kind, so that there are
    no pairs, and where a score is not a number.
    """
    from scipy.stats import rankdata

    positive = labels > 0
    have, lack = int(positive.sum()), int((~positive).sum())
    if not have or not lack or np.isnan(scores).any():
        return None
    ranks = rankdata(scores)  # of tied ones the mean
    above = float(ranks[positive].sum()) - have * (have + 1) / 2
    return above / (have * lack)
