"""Whether numbers are uniform in (0, 1), and independent of each other: how surely not, in standard errors.

A chance p is told as the number of standard errors that a normal variable is off by with that chance: 5.3 is one in 9
million.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def off_uniform(rows: Array) -> float:
    """Return how surely some of `rows`, (rows, n), are not uniform: Kolmogorov's test of each (Kolmogorov 1933).

    The chance is that of the worst row, times their number (Bonferroni).
    """
    from scipy.stats import kstest

    return standard_errors(len(rows) * min(float(kstest(row, "uniform").pvalue) for row in rows))


def correlation(one: Array, other: Array) -> float:
    """Return how surely scores, (…, columns), go along with others, or against them: in the worst of the columns.

    Scores have the mean 0 and the variance 1, so that the sum of n products has the variance n where they are
    independent. The chance is that of the worst column, times their number; without any, nothing is off.
    """
    from scipy.stats import norm

    products = one * other
    if not products.size:
        return 0.0
    off = np.abs(products.sum(tuple(range(products.ndim - 1)))) / np.sqrt(products[..., 0].size)
    return standard_errors(2 * len(off) * float(norm.sf(off.max())))


def common_part(scores: Array, axis: int) -> float:
    """Return how surely scores along an axis have something in common, or cancel each other.

    Scores have the mean 0 and the variance 1. Where n of them are independent, the square of their sum over n has the
    mean 1, and all such squares together are distributed as χ² with as many degrees of freedom (scores that are uniform
    have lighter tails than normal ones, so that the chance is rather overstated).
    """
    from scipy.stats import chi2

    squares = scores.sum(axis) ** 2 / scores.shape[axis]
    total = float(squares.sum())
    return standard_errors(2 * min(float(chi2.sf(total, squares.size)), float(chi2.cdf(total, squares.size))))


def shared_part(scores: Array, axis: int) -> float:
    """Return the share of the variance that scores along an axis have in common: 0 where they are independent.

    Scores have the mean 0 and the variance 1. It is the mean product of two of them (the intraclass correlation).
    """
    n = scores.shape[axis]
    return float(((scores.sum(axis) ** 2 - (scores**2).sum(axis)) / (n * (n - 1))).mean())


def standard_errors(chance: float) -> float:
    """Return by how many standard errors a normal variable is off, to either side, with that chance; 37 at the most."""
    from scipy.stats import norm

    return float(norm.isf(np.clip(chance, 1e-300, 1.0) / 2))
