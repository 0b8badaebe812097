"""Likelihoods and probabilities under Student's t distribution with a location and a width."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def negative_log_likelihood(parameters: Array, values: Array) -> Array:
    """Return -log p of each of `values`, of any shape (…), in float64.

    `parameters`, (…, 3), are degrees of freedom, location and width: p is the density of location + width · t, where t
    has Student's distribution (1908) with these degrees of freedom.
    """
    from scipy.stats import t

    freedom, location, width = np.moveaxis(parameters.astype(np.float64), -1, 0)
    return -np.asarray(t.logpdf(values.astype(np.float64), freedom, location, width))


def distribution_function(parameters: Array, values: Array) -> Array:
    """Return Student's distribution function at each of `values`, of any shape (…), in float64.

    `parameters`, (…, 3), are those of `negative_log_likelihood`.
    """
    from scipy.stats import t

    freedom, location, width = np.moveaxis(parameters.astype(np.float64), -1, 0)
    return np.asarray(t.cdf(values.astype(np.float64), freedom, location, width))


def weighted_mean(numbers: Array, weights: Array) -> float:
    """Return the sum of weighted numbers over the sum of weights, taken as 1 if smaller; 0 if all weights are 0."""
    return float((weights * numbers).sum() / max(1.0, float(weights.sum())))
