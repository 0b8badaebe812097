"""Quantiles that intervals need, each computed once: a report has hundreds of intervals with the same few."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def t_quantile(confidence: float, tests: float, freedom: float) -> float:
    """Return how many standard errors Student's t interval goes to each side.

    `tests` such intervals hold together with this confidence (Bonferroni); 1.25 is one that has four fifths of the
    permitted error. `freedom` are the degrees of freedom.
    """
    from scipy.stats import t

    return float(t.ppf(1 - (1 - confidence) / tests / 2, freedom))


@lru_cache(maxsize=4096)
def chi2_quantile(share: float, freedom: int) -> float:
    """Return below what a share of χ² with these degrees of freedom lies."""
    from scipy.stats import chi2

    return float(chi2.ppf(share, freedom))
