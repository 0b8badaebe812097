"""How far outputs are apart."""

import numpy as np

from rosettabench.watch.outputs import off_by


def test_off_by():
    expected = np.array([[1.0, -4.0], [2.0, 0.5]], np.float32)
    assert off_by(expected, expected) == 0
    assert abs(off_by(expected + np.float32(0.4), expected) - 0.1) < 1e-6
    assert off_by(expected[:1], expected) == float("inf")
    assert off_by(np.array([[np.nan, 0], [0, 0]]), expected) == float("inf")
    assert off_by(np.zeros(3), np.zeros(3)) == 0
