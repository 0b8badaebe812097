"""Steady state over batch sizes: t = a + b·n, what a step costs whatever it computes, and what each sample adds.

The noise of a shared machine is relative, so each size is weighed by the inverse square of its time (weighted least
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

    `seconds` is (draws, sizes); a and b are (draws,). The weights come from the first draw, the estimate itself, so
    that every resample is judged by the same. Two sizes at least.
    """
    n = np.asarray(sizes, dtype=np.float64)
    weights = seconds[0] ** -2
    weights = weights / weights.sum()
    mean_n = weights @ n
    mean_t = seconds @ weights
    b = (seconds - mean_t[:, None]) @ (weights * (n - mean_n)) / (weights @ (n - mean_n) ** 2)
    return mean_t - b * mean_n, b


def deviations(sizes: Sequence[int], seconds: Array) -> Array:
    """Return how far each size's time lies from the line, relative to the line; it and `seconds` are (draws, sizes)."""
    a, b = fit_line(sizes, seconds)
    return np.asarray(seconds / (a[:, None] + b[:, None] * np.asarray(sizes)) - 1)
