"""Outputs of a model, held against those of another one with the same weights on the same samples."""

from __future__ import annotations

import numpy as np

OFF = {"float32": 1e-3, "tf32": 2e-2, "bfloat16": 2e-1}
"""By precision, how far two outputs may be apart, relative to the largest.

Honest float32 is off by some 1e-6 (docs/results/proof-margins.md); weights of an earlier step, by 1e-2 and more."""


def off_by(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference of two arrays, relative to the largest of `expected`; endless for other shapes."""
    if found.shape != expected.shape or not np.isfinite(found).all():
        return float("inf")
    largest = float(np.abs(expected, dtype=np.float64).max(initial=0.0))
    off = float(np.abs(np.subtract(found, expected, dtype=np.float64)).max(initial=0.0))
    return off / largest if largest else off
