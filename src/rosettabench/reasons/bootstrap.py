"""Bootstrap intervals for anything computed from rounds: resample the rounds, and compute it again.

Whole rounds are drawn, with everything measured in them, so that measurements under the same conditions stay together
and differences between contenders are paired. The location of a cell is its 20%-trimmed mean over rounds, as in the
contests. Percentiles of few rounds are too narrow. They are widened as much as Student's t and the factor n/(n-1) widen
a normal interval (Hesterberg, 2015, "What Teachers Should Know About the Bootstrap", section 4.3), with the degrees of
freedom of a trimmed mean (Tukey and McLaughlin, 1963).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from rosettabench.reasons.line import Array
from rosettabench.statistics.interval import TRIM

DRAWS = 2000
"""Number of resamples: their 2.5% points are exact to about a twentieth of the interval's width."""

SEED = 20180219
"""Seed of the resampling: the same rounds always give the same sentence."""


def trim_rounds(values: Array) -> Array:
    """Return the 20%-trimmed mean over the second axis but one of (…, rounds, cells): (…, cells)."""
    rounds = values.shape[-2]
    cut = int(TRIM * rounds)
    return np.asarray(np.sort(values, axis=-2)[..., cut : rounds - cut, :].mean(axis=-2))


def locations(rounds: Array, draws: int = DRAWS, seed: int = SEED) -> Array:
    """Return the locations of cells, (1 + draws, cells), for (rounds, cells): first all rounds, then the resamples."""
    random = np.random.default_rng(seed)
    picked = random.integers(len(rounds), size=(draws, len(rounds)))
    resampled = [trim_rounds(rounds[part]) for part in np.array_split(picked, max(1, draws // 100))]
    return np.concatenate([trim_rounds(rounds)[None], *resampled])


def interval(draws: Array, rounds: int, confidence: float) -> tuple[float, float]:
    """Return low and high from `draws`, (1 + draws,), computed from the `locations` of `rounds` rounds."""
    from scipy.stats import norm, t

    kept = rounds - 2 * int(TRIM * rounds)
    reach = sqrt(rounds / (rounds - 1)) * t.ppf(0.5 + confidence / 2, kept - 1)
    tail = float(norm.sf(reach))
    low, high = np.quantile(draws[1:], [tail, 1 - tail])
    return float(low), float(high)
