"""How likely values are under Student's distribution with a location and a width."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def negative_log_likelihood(parameters: Array, values: Array) -> Array:
    """Return -log p of each of `values`, of any shape (…), in float64.

    `parameters`, (…, 3), are degrees of freedom, location and width: p is the density of location + width · t, with t
    distributed as Student (1908) has it, with so many degrees of freedom.
    """
    from scipy.stats import t

    freedom, location, width = np.moveaxis(parameters.astype(np.float64), -1, 0)
    return -np.asarray(t.logpdf(values.astype(np.float64), freedom, location, width))


def distribution_function(parameters: Array, values: Array) -> Array:
    """Return the chance of a smaller value than each of `values`, of any shape (…), in float64.

    `parameters`, (…, 3), as above: Student's distribution function.
    """
    from scipy.stats import t

    freedom, location, width = np.moveaxis(parameters.astype(np.float64), -1, 0)
    return np.asarray(t.cdf(values.astype(np.float64), freedom, location, width))


def weighted_mean(numbers: Array, weights: Array) -> float:
    """Return the mean of numbers, each with its weight; 0 where none has any."""
    return float((weights * numbers).sum() / max(1.0, float(weights.sum())))
