"""Compare the outputs of a model with those of another one with equal weights on the same samples."""

from __future__ import annotations

import numpy as np

OFF = {"float32": 1e-3, "tf32": 2e-2, "bfloat16": 2e-1}
"""How far two outputs may differ, relative to the largest, by precision.

Honest float32 is off by about 1e-6 (docs/results/proof-margins.md), weights of an earlier step by 1e-2 and more."""


def off_by(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference of two arrays, relative to the largest of `expected`.

    It is infinite if the shapes differ or `found` is not finite.
    """
    if found.shape != expected.shape or not np.isfinite(found).all():
        return float("inf")
    largest = float(np.abs(expected, dtype=np.float64).max(initial=0.0))
    off = float(np.abs(np.subtract(found, expected, dtype=np.float64)).max(initial=0.0))
    return off / largest if largest else off
