"""Fit the step time over the batch size by a line, t = a + b·n: a fixed cost per step, and a cost per sample.

The noise of a shared machine is relative, so each size is weighted by the inverse square of its time (weighted least
squares; Draper and Smith, "Applied Regression Analysis", ch. 9). A line is an idealisation: caches, thread thresholds
and vector widths bend it, and `deviations` says by how much.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def fit_line(sizes: Sequence[int], seconds: Array) -> tuple[Array, Array]:
    """Return (a, b): seconds per step and seconds per sample.

    `seconds` is (draws, sizes), with at least two sizes; a and b are (draws,). The weights for all draws come from the
    first, which is the estimate itself.
    """
    n = np.asarray(sizes, dtype=np.float64)
    weights = seconds[0] ** -2
    weights = weights / weights.sum()
    mean_n = weights @ n
    mean_t = seconds @ weights
    b = (seconds - mean_t[:, None]) @ (weights * (n - mean_n)) / (weights @ (n - mean_n) ** 2)
    return mean_t - b * mean_n, b


def deviations(sizes: Sequence[int], seconds: Array) -> Array:
    """Return the deviation of each size's time from the line, relative to it, (draws, sizes), as is `seconds`."""
    a, b = fit_line(sizes, seconds)
    return np.asarray(seconds / (a[:, None] + b[:, None] * np.asarray(sizes)) - 1)
