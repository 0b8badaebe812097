"""Likely causes of a deviating loss."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np

from rosettabench.proof.causes.case import FITS, Case, softmax
from rosettabench.proof.causes.forecast import forecast_loss, is_forecast
from rosettabench.proof.walk import Array, read_array
from rosettabench.statistics.metrics import sample_losses


def loss_scale(case: Case) -> Iterator[str]:
    """Test for a loss that is a multiple of the reference's, or that takes logits for probabilities."""
    found, exact = case.found.turn.loss if case.found else None, case.exact.turn.loss
    labels = read_array(case.exact.batch, "labels")
    if found is None or exact is None:
        yield "the loss is not a finite number"
        return
    logits = read_array(case.exact.gradients, "logits")
    classes = labels.dtype.kind == "i" and logits.shape[:-1] == labels.shape
    if classes:
        yield from limited_loss(case, found, exact, sample_losses(logits, labels))
    if case.divergence.step:  # the formula of the loss was right in the steps before
        yield "the logits of a step are right and its loss is not: it trains on other weights, or on another batch"
        return
    devices = 1 + len(case.found.others) if case.found else 1
    if devices > 1 and isclose(found / exact, devices, rel_tol=FITS):
        yield f"the loss is {devices} times what it should be: the sum over the devices; the mean is meant"
        return
    if is_forecast(case):
        yield from forecast_loss(found, logits, labels)
        return
    if classes:
        yield from class_loss(found, exact, logits.reshape(-1, logits.shape[-1]), labels.ravel(), len(labels))
    elif isclose(found / exact, len(labels), rel_tol=FITS):
        yield SUM
    elif labels.ndim == logits.ndim == 2 and np.isin(labels, (0, 1)).all():
        yield from multi_label_loss(found, exact, softmax(logits), labels)
    else:
        yield from difference_loss(found, logits, labels)
    if found > exact:
        yield "the logits are right and the loss too large: a penalty on the weights is added, or labels are smoothed"


SUM = "the loss is the sum over the batch; the mean is meant"


LEAST_PROBABILITIES = (1e-6, 1e-7, 1e-8, 1e-12, 1e-15)
"""The probabilities that libraries take for the least one: 1e-7 by Keras, 1e-8 by MXNet, others by hand."""


def limited_loss(case: Case, found: float, exact: float, losses: Array) -> Iterator[str]:
    """A loss over classes that a sample's probability limits; `losses` are the right ones of all positions.

    It can first differ in a later step, where the first sample is this wrong.
    """
    least = min(LEAST_PROBABILITIES, key=lambda one: abs(found - limited(exact, losses, one)))
    off = abs(found - limited(exact, losses, least)) / abs(exact)
    most = -np.log(least)
    if losses.max() > most and off < FITS and case.explains(off):
        yield f"the loss takes a probability below {least:.0e} for {least:.0e}: no sample's is above {most:.1f}"


def limited(exact: float, losses: Array, least: float) -> float:
    """Return the loss if no sample's probability were below the `least`; a penalty on weights stays in it."""
    return exact - float((losses - np.minimum(losses, -np.log(least))).mean())


def class_loss(found: float, exact: float, logits: Array, labels: Array, samples: int) -> Iterator[str]:
    """A loss over classes that is a sum, or one over probabilities: (positions, classes), and (positions,) labels."""
    for number, what in (
        (len(labels), SUM),
        (samples, SUM),
        (len(labels) // samples, "the loss is the sum over positions"),
    ):
        if number > 1 and isclose(found / exact, number, rel_tol=FITS):
            yield what
    twice = softmax(softmax(logits))[np.arange(len(labels)), labels]
    if isclose(found, float(-np.log(twice).mean()), rel_tol=FITS):
        yield "softmax is applied twice: the loss takes the logits for probabilities"


def difference_loss(found: float, outputs: Array, labels: Array) -> Iterator[str]:
    """A loss over differences of numbers that is another function of them than their mean square."""
    if outputs.shape != labels.shape:
        return
    difference = np.subtract(outputs, labels, dtype=np.float64)
    others = {
        "the loss is half of the mean square": (difference**2).mean() / 2,
        "the loss is the sum of the squares; the mean is meant": (difference**2).sum(),
        "the loss is the mean of the absolute differences": np.abs(difference).mean(),
        "the loss is the root of the mean square": np.sqrt((difference**2).mean()),
        "the loss adds up the squares of a sample; their mean is meant": (difference**2).sum() / len(labels),
    }
    yield from (sentence for sentence, value in others.items() if isclose(found, float(value), rel_tol=FITS))


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
