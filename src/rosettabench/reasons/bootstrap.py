"""Intervals for whatever is computed from rounds: resample the rounds, compute it again.

Whole rounds are drawn, with everything that was measured in them, so that what met the same weather stays together
and differences between contenders are paired. Where a cell of the table stands is the 20%-trimmed mean over rounds,
as in the contests. Percentiles of few rounds are too narrow: they are widened by what Student's t and the factor
n/(n-1) would add to a normal interval (Hesterberg, 2015, "What Teachers Should Know About the Bootstrap", section
4.3), with the degrees of freedom that a trimmed mean has (Tukey and McLaughlin, 1963).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from rosettabench.reasons.line import Array
from rosettabench.statistics.interval import TRIM

DRAWS = 2000
"""Resamples: the 2.5% points of so many are known to about a twentieth of the interval's width."""

SEED = 20180219
"""Of the resampling: the same rounds always give the same sentence."""


def trim_rounds(values: Array) -> Array:
    """Return the 20%-trimmed mean over the second axis but one of (…, rounds, cells): (…, cells)."""
    rounds = values.shape[-2]
    cut = int(TRIM * rounds)
    return np.asarray(np.sort(values, axis=-2)[..., cut : rounds - cut, :].mean(axis=-2))


def locations(rounds: Array, draws: int = DRAWS, seed: int = SEED) -> Array:
    """Return (1 + draws, cells) for (rounds, cells): first where each cell stands, then where each resample has it."""
    random = np.random.default_rng(seed)
    picked = random.integers(len(rounds), size=(draws, len(rounds)))
    resampled = [trim_rounds(rounds[part]) for part in np.array_split(picked, max(1, draws // 100))]
    return np.concatenate([trim_rounds(rounds)[None], *resampled])


def interval(draws: Array, rounds: int, confidence: float) -> tuple[float, float]:
    """Return low and high of what `draws` holds: (1 + draws,), computed from `locations` of so many rounds."""
    from scipy.stats import norm, t

    kept = rounds - 2 * int(TRIM * rounds)
    reach = sqrt(rounds / (rounds - 1)) * t.ppf(0.5 + confidence / 2, kept - 1)
    tail = float(norm.sf(reach))
    low, high = np.quantile(draws[1:], [tail, 1 - tail])
    return float(low), float(high)
