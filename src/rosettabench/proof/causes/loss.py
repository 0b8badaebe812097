"""Likely causes of a deviating loss."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np

from rosettabench.proof.causes.case import FITS, Case, softmax
from rosettabench.proof.causes.forecast import forecast_loss
from rosettabench.proof.walk import Array, read_array


def loss_scale(case: Case) -> Iterator[str]:
    """Test for a loss that is a multiple of the reference's, or that takes logits for probabilities."""
    found, exact = case.found.turn.loss if case.found else None, case.exact.turn.loss
    labels = read_array(case.exact.batch, "labels")
    if found is None or exact is None:
        yield "the loss is not a finite number"
        return
    if isclose(found / exact, len(labels), rel_tol=FITS):
        yield "the loss is the sum over the batch; the mean is meant"
    logits = read_array(case.exact.gradients, "logits")
    if logits.ndim == 3:
        yield from forecast_loss(found, logits, labels)
        return
    probabilities = softmax(logits)
    if labels.ndim > 1:
        yield from multi_label_loss(found, exact, probabilities, labels)
    elif isclose(found, float(-np.log(softmax(probabilities)[np.arange(len(labels)), labels]).mean()), rel_tol=FITS):
        yield "softmax is applied twice: the loss takes the logits for probabilities"
    if found > exact:
        yield "the logits are right and the loss too large: a penalty on the weights is added, or labels are smoothed"


def multi_label_loss(found: float, exact: float, probabilities: Array, labels: Array) -> Iterator[str]:
    """Test for a loss that sums over the labels of a sample, or that treats them as classes.

    `probabilities` are the softmax of the logits, (samples, labels), like the labels.
    """
    if isclose(found / exact, labels.shape[1], rel_tol=FITS):
        yield "the loss is the sum over the labels; the mean is meant"
    categorical = -(labels * np.log(probabilities)).sum(1).mean()
    binary = -np.where(labels > 0, np.log(probabilities), np.log1p(-probabilities)).mean()
    if any(isclose(found, float(one), rel_tol=FITS) for one in (categorical, binary)):
        yield "a softmax over the labels: each needs a sigmoid of its own"
