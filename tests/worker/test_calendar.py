"""Epochs as a worker counts them, and the rates that follow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosetta_worker.framework import Setting
from rosetta_worker.schedule import Calendar, factor

DECAY = Setting(name="decay", factor=0.9, every=10)
STEPS = Setting(name="steps", after=[80, 120, 160, 180], factors=[0.1, 0.01, 0.001, 0.0005])


@given(st.integers(0, 60), st.integers(1, 40), st.integers(1, 9), st.integers(1, 20))
def test_parts_are_the_rows_epoch_by_epoch(first, steps, per_epoch, apart):
    rows = np.arange(first, first + steps)[:, None]
    parts = Calendar(per_epoch, apart).parts(first, rows)
    assert np.array_equal(np.concatenate([part for _, part in parts]), rows), "every row once, in order"
    for epoch, part in parts:
        assert {row // per_epoch * apart for row in part[:, 0]} == {epoch}
    assert len({epoch for epoch, _ in parts}) == len(parts), "no epoch in two pieces"


def test_without_epochs_a_block_is_one_piece():
    rows = np.zeros((1000, 2))
    [(epoch, part)] = Calendar().parts(5000, rows)
    assert (epoch, len(part)) == (0, 1000)


@pytest.mark.parametrize(
    ("epoch", "decay", "steps"),
    [(0, 1, 1), (9, 1, 1), (10, 0.9, 1), (19, 0.9, 1), (20, 0.81, 1), (79, 0.9**7, 1), (80, 0.9**8, 0.1),
     (119, 0.9**11, 0.1), (120, 0.9**12, 0.01), (160, 0.9**16, 0.001), (180, 0.9**18, 0.0005), (900, 0.9**90, 0.0005)],
)  # fmt: skip
def test_rates_fall_where_an_epoch_begins(epoch, decay, steps):
    assert factor(DECAY, epoch) == pytest.approx(decay)
    assert factor(STEPS, epoch) == pytest.approx(steps)
