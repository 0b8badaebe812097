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


def off_by_texts(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the same for logits of texts, (texts, places, tokens): of each text as far as both have written the same.

    Each token is the likeliest one. Where two are as likely as each other but for round-off, contenders may choose
    differently, and what they write after that is not comparable. The place itself is: both have read the same until
    there.
    """
    if found.shape != expected.shape:
        return float("inf")
    same = found.argmax(-1) == expected.argmax(-1)
    begun = np.concatenate([np.ones_like(same[:, :1]), np.logical_and.accumulate(same, axis=1)[:, :-1]], axis=1)
    return off_by(np.where(begun[..., None], found, 0.0), np.where(begun[..., None], expected, 0.0))
