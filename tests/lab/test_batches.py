"""Batches: permutations of the samples, the same for everybody, none twice in an epoch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.errors import UsageError
from rosettabench.lab.batches import draw_batches

sizes = st.integers(1, 300).flatmap(lambda samples: st.tuples(st.just(samples), st.integers(1, samples)))


@given(sizes, st.integers(1, 50), st.integers(0, 5))
def test_an_epoch_visits_each_sample_at_most_once(size, steps, seed):
    samples, batch = size
    rows = draw_batches(samples, batch, steps, seed)
    per_epoch = samples // batch
    assert rows.shape == (steps, batch)
    for start in range(0, steps, per_epoch):
        epoch = rows[start : start + per_epoch].ravel()
        assert len(set(epoch)) == len(epoch)
        assert epoch.min() >= 0
        assert epoch.max() < samples


@given(sizes, st.integers(1, 20), st.integers(1, 20))
def test_more_steps_leave_the_first_ones_as_they_were(size, few, more):
    samples, batch = size
    assert np.array_equal(draw_batches(samples, batch, few + more, 0)[:few], draw_batches(samples, batch, few, 0))


def test_epochs_and_seeds_differ():
    rows = draw_batches(100, 10, 20, 0)
    assert not np.array_equal(rows[:10], rows[10:])
    assert not np.array_equal(rows, draw_batches(100, 10, 20, 1))


def test_a_batch_larger_than_the_data_is_told():
    with pytest.raises(UsageError, match="a batch of 101 is larger than the data set of 100"):
        draw_batches(100, 101, 1, 0)
