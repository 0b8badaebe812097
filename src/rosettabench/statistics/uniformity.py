"""Test whether numbers are uniform in (0, 1) and independent, with the evidence against it in standard errors.

A probability p is expressed as the two-sided deviation of a normal variable that has this probability: 5.3 standard
errors are one in 9 million.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def off_uniform(rows: Array) -> float:
    """Return the standard errors by which `rows`, (rows, n), are not uniform: Kolmogorov's test of each (1933).

    The probability is that of the worst row times the number of rows (Bonferroni).
    """
    from scipy.stats import kstest

    return standard_errors(len(rows) * min(float(kstest(row, "uniform").pvalue) for row in rows))


def correlation(one: Array, other: Array) -> float:
    """Return the standard errors by which scores, (…, columns), are correlated with others, in the worst column.

    Scores have mean 0 and variance 1, so the sum of n products has variance n if they are independent. The probability
    is that of the worst column times the number of columns; 0 standard errors without scores.
    """
    from scipy.stats import norm

    products = one * other
    if not products.size:
        return 0.0
    off = np.abs(products.sum(tuple(range(products.ndim - 1)))) / np.sqrt(products[..., 0].size)
    return standard_errors(2 * len(off) * float(norm.sf(off.max())))


def common_part(scores: Array, axis: int) -> float:
    """Return the standard errors by which scores along an axis share a common part, or cancel each other.

    Scores have mean 0 and variance 1. If n of them are independent, the square of their sum over n has mean 1, and the
    sum of these squares has a χ² distribution with as many degrees of freedom. Uniform scores have lighter tails than
    normal ones, so the probability is rather overstated.
    """
    from scipy.stats import chi2

    squares = scores.sum(axis) ** 2 / scores.shape[axis]
    total = float(squares.sum())
    return standard_errors(2 * min(float(chi2.sf(total, squares.size)), float(chi2.cdf(total, squares.size))))


def shared_part(scores: Array, axis: int) -> float:
    """Return the share of the variance that scores along an axis have in common: 0 if they are independent.

    Scores have mean 0 and variance 1. The share is the mean product of two of them (the intraclass correlation).
    """
    n = scores.shape[axis]
    return float(((scores.sum(axis) ** 2 - (scores**2).sum(axis)) / (n * (n - 1))).mean())


def standard_errors(chance: float) -> float:
    """Return the two-sided deviation of a normal variable, in standard errors, with this probability; at most 37."""
    from scipy.stats import norm

    return float(norm.isf(np.clip(chance, 1e-300, 1.0) / 2))
