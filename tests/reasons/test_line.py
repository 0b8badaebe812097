"""The line over batch sizes: exact where the numbers lie on one, and honest about how far they do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.reasons.line import deviations, fit_line

SIZES = (4, 8, 16, 32, 64, 128)

per_step = st.floats(1e-6, 1.0)
per_sample = st.floats(1e-9, 1e-2)
sizes = st.lists(st.integers(1, 4096), min_size=2, max_size=8, unique=True)


@given(per_step, per_sample, sizes)
def test_it_is_exact_on_exact_lines(a, b, sizes):
    seconds = a + b * np.array(sizes, dtype=float)
    found_a, found_b = fit_line(sizes, seconds[None])
    scale = seconds.max()
    assert found_a[0] == pytest.approx(a, rel=1e-6, abs=1e-9 * scale)
    assert found_b[0] * max(sizes) == pytest.approx(b * max(sizes), rel=1e-6, abs=1e-9 * scale)
    assert np.abs(deviations(sizes, seconds[None])).max() < 1e-6


@given(per_step, per_sample)
def test_every_draw_has_its_own_line_under_the_weights_of_the_first(a, b):
    n = np.array(SIZES, dtype=float)
    draws = np.stack([a + b * n, 2 * a + 3 * b * n])
    found_a, found_b = fit_line(SIZES, draws)
    assert found_a == pytest.approx([a, 2 * a], rel=1e-6, abs=1e-9)
    assert found_b * 128 == pytest.approx([128 * b, 3 * 128 * b], rel=1e-6, abs=1e-9)


def test_a_large_batch_does_not_outweigh_the_small_ones():
    """An error of 10% at the largest size, whose time is 30 times that of the smallest, must not swallow a."""
    n = np.array(SIZES, dtype=float)
    seconds = 1e-3 + 1e-3 * n
    seconds[-1] *= 1.1
    found, _ = fit_line(SIZES, seconds[None])
    unweighted = np.polyfit(n, seconds, 1)[1]
    assert abs(found[0] - 1e-3) < 0.4e-3 < abs(unweighted - 1e-3)


def test_what_bends_is_told_where_it_bends():
    n = np.array(SIZES, dtype=float)
    seconds = 1e-3 + 1e-4 * n
    seconds[2] *= 1.5  # a thread threshold, say
    [found] = deviations(SIZES, seconds[None])
    assert np.abs(found).argmax() == 2
    assert found[2] > 0.25
