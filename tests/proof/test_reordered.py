"""Outputs in another order are told from outputs that are off a little."""

import numpy as np

from rosettabench.proof.inference import is_reordered

EXACT = np.random.default_rng(0).normal(size=(6, 20))


def test_another_order_is_seen():
    assert is_reordered(EXACT[::-1], EXACT)


def test_a_small_deviation_is_no_other_order():
    """It is below what counts as equal, sorted or not."""
    assert not is_reordered(EXACT * (1 + 4e-4), EXACT)
    assert not is_reordered(EXACT + 1, EXACT)
