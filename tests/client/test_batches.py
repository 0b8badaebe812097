"""Batches: permutations of the samples, the same for everybody, none twice in an epoch; and where each is cropped."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.catalogue.data_entry import Augmentation
from rosettabench.catalogue.workload import find_workload
from rosettabench.client.batches import draw_augmentation, draw_batches, draw_rows
from rosettabench.data.prepared import Part, Prepared
from rosettabench.data.readers.pictures import PictureFile, Pictures, Rendering
from rosettabench.errors import UsageError
from rosettabench.plan.setting import Setting

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


# -- picture files -----------------------------------------------------------------------------------------------------

STATED = find_workload("chestxray-densenet121").data.augmentation


def rows_of(samples, batch, steps, seed=0, side=224):
    """The rows of a workload that crops and flips so many picture files."""
    part = Part(Path("inputs"), Path("labels"), samples)
    pictures = Pictures((PictureFile("a.png", 1, 1),) * samples, side, Rendering("bilinear"))
    data = Prepared("pictures", "original", "", "", Path(), part, part, pictures)
    return draw_rows(find_workload("chestxray-densenet121"), data, Setting(batch, "cpu", "float32", seed, 1), steps)


@given(sizes, st.integers(1, 50), st.integers(0, 5), st.integers(32, 264))
def test_pictures_come_in_the_same_order_and_every_crop_lies_within(size, steps, seed, side):
    samples, batch = size
    rows = rows_of(samples, batch, steps, seed, side)
    assert rows.shape == (steps, batch, 4) and rows.dtype == np.int64
    assert np.array_equal(rows[..., 0], draw_batches(samples, batch, steps, seed))
    assert rows[..., 1:].min() >= 0 and rows[..., 3].max() <= 1
    assert rows[..., 1:3].max() + side <= STATED.stored_side(side)


@given(sizes, st.integers(1, 20), st.integers(1, 20))
def test_more_steps_leave_the_first_crops_as_they_were(size, few, more):
    samples, batch = size
    assert np.array_equal(rows_of(samples, batch, few + more)[:few], rows_of(samples, batch, few))


def test_the_batch_size_changes_no_crop():
    """An epoch's samples are augmented alike, however they are shared out among batches."""
    assert np.array_equal(rows_of(96, 8, 12).reshape(-1, 4), rows_of(96, 32, 3).reshape(-1, 4))


def test_another_epoch_or_seed_is_augmented_otherwise():
    rows = rows_of(100, 10, 20)[..., 1:]
    assert (rows[:10] == rows[10:]).all(axis=2).mean() < 0.01
    assert (rows == rows_of(100, 10, 20, seed=1)[..., 1:]).all(axis=2).mean() < 0.01


def test_where_pictures_are_cropped_and_how_often_flipped():
    """Of 200,000 each of 41 rows and columns has 4,878, give or take 69, and half are flipped, give or take 224."""
    drawn = draw_augmentation(STATED, 224, 200_000, seed=3, epoch=7)
    for places in drawn[:, :2].T:
        assert np.abs(np.bincount(places, minlength=41) - 200_000 / 41).max() < 5 * 69
        assert len(np.bincount(places)) == 41
    assert abs(int(drawn[:, 2].sum()) - 100_000) < 5 * 224
    assert np.abs(np.corrcoef(drawn.T) - np.eye(3)).max() < 5 / 200_000**0.5


def test_nothing_is_drawn_where_nothing_is_stated():
    assert not draw_augmentation(Augmentation(), 256, 1_000, seed=0, epoch=0).any()


@pytest.mark.parametrize(("side", "stored"), [(224, 264), (64, 75), (32, 38), (264, 311)])
def test_smaller_pictures_are_cut_out_of_smaller_ones(side, stored):
    assert (STATED.stored_side(side), STATED.places(side)) == (stored, stored - side + 1)


def test_a_crop_is_no_larger_than_its_picture():
    with pytest.raises(ValueError, match="the first side is cut out of the second"):
        Augmentation(crop=(264, 224))
