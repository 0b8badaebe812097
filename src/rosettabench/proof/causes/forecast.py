"""Likely causes of a failed proof of a time-series forecast: see `rosettabench.proof.causes.likely`."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from typing import TYPE_CHECKING

import numpy as np

from rosettabench.data.series.channels import CHANNELS
from rosettabench.data.series.lags import LAGS
from rosettabench.proof.comparison import relative
from rosettabench.proof.dropout_recurrent import scales
from rosettabench.proof.walk import Array, read_array
from rosettabench.statistics.student_t import negative_log_likelihood

if TYPE_CHECKING:
    from rosettabench.proof.causes.case import Case

SAME = 1e-5
"""Relative deviation up to which two losses count as equal: one value in a hundred makes a larger difference."""


def is_forecast(case: Case) -> bool:
    """Return whether the logits of a case are parameters, (samples, steps, 3), for windows of time series."""
    inputs, logits = read_array(case.exact.batch, "inputs"), read_array(case.exact.gradients, "logits")
    return logits.ndim == 3 and inputs.shape[2:] == (CHANNELS,)


def other_parameters(case: Case) -> Iterator[str]:
    """Test for parameters of the distribution that lack the last step of their computation."""
    assert case.found is not None
    if not is_forecast(case):
        return
    found, exact = read_array(case.found.gradients, "logits"), read_array(case.exact.gradients, "logits")
    if found.shape != exact.shape:
        return
    scale = scales(read_array(case.exact.batch, "inputs"))[:, None]
    if relative(found[..., 0], exact[..., 0] - 2) < case.fits:
        yield "the degrees of freedom lack the 2 that is added to them"
    for place, name in ((1, "location"), (2, "width")):
        if relative(found[..., place], exact[..., place] / scale) < case.fits:
            yield f"the {name} is not multiplied by the scale of its window"


def other_windows(case: Case) -> Iterator[str]:
    """Test whether the reference has these logits for changed inputs: the model reads its windows in another way."""
    assert case.found is not None
    if not is_forecast(case):
        return
    found = read_array(case.found.gradients, "logits")
    inputs = np.array(read_array(case.exact.batch, "inputs"))
    for sentence, changed in rearrange_windows(inputs):
        said = case.reference.logits(case.divergence.step or 0, case.weights(), changed)
        if relative(found, said) < case.fits:
            yield sentence


def rearrange_windows(inputs: Array) -> Iterator[tuple[str, Array]]:
    """Yield wrong ways of reading windows: other steps for the scale, and lagged values of another step."""
    every = inputs.copy()
    every[..., -1] = inputs[..., 0] != 0
    yield "the scale is that of the whole window, the horizon included: it is to be that of the context", every
    for places, words in ((1, "one step too old"), (-1, "one step too new: that is the value to be foreseen")):
        shifted = inputs.copy()
        shifted[..., :LAGS] = np.roll(inputs[..., :LAGS], places, 1)
        shifted[:, 0 if places > 0 else -1, :LAGS] = 0
        yield f"the lagged values are {words}", shifted


def forecast_loss(found: float, logits: Array, labels: Array) -> Iterator[str]:
    """Yield wrong means over the values of a batch that give `found`, a wrong loss from right logits."""
    values, weights = labels[..., 0], labels[..., 1]
    each = negative_log_likelihood(logits, values)
    wrong = {
        "steps without a value have a share in the loss: their weights are ignored": each.mean(),
        "the loss is a mean over all steps: it is to be that over those that have a value": (weights * each).mean(),
        "the loss is the sum over the batch; the mean is meant": (weights * each).sum(),
        "the loss is a mean of the means of the windows: it is to be that over all values of the batch": (
            (weights * each).sum(1) / np.maximum(weights.sum(1), 1)
        ).mean(),
    }
    yield from (sentence for sentence, value in wrong.items() if isclose(found, float(value), rel_tol=SAME))
