"""A proof may leave out images that are mostly of one colour: float32 rounds a loop over equal numbers one way."""

import numpy as np
import pytest
from pydantic import ValidationError

from rosettabench.catalogue.workload import ProofExtents, find_workload
from rosettabench.proof.margins import flat_share, textured


def half_white(seed):
    """An image of random colours whose left half is white."""
    image = np.random.default_rng(seed).integers(0, 255, (3, 32, 32), dtype=np.uint8)
    image[:, :, :16] = 255
    return image


def test_the_share_of_equal_neighbours_is_counted_over_all_channels():
    image = half_white(0)
    assert flat_share(image) == pytest.approx(15 / 31, abs=0.01)
    image[2, :, :16:2] = 0
    assert flat_share(image) < 0.01, "pixels that differ in one channel are not equal"


def test_flat_images_are_passed_over_and_the_order_stays():
    images = np.random.default_rng(1).integers(0, 255, (6, 3, 32, 32), dtype=np.uint8)
    images[[1, 4]] = half_white(2), half_white(3)
    order = np.array([4, 2, 0, 1, 5, 3])
    assert list(textured(iter(order), images, 0.2)) == [2, 0, 5, 3]
    assert list(textured(iter(order), images, 0.6)) == order.tolist()


def test_a_loop_is_much_further_off_over_a_flat_image():
    """The cause: the same number, added again and again in float32, is rounded the same way each time."""

    def off(values):
        looped = np.add.accumulate(values)[-1] / np.float32(values.size)
        return abs(float(looped) - values.astype(np.float64).mean())

    flat, mixed = [], []
    for seed in range(20):
        generator = np.random.default_rng(seed)
        values = generator.normal(0.7, 0.1, 131_072).astype(np.float32)
        mixed.append(off(values))
        values[: values.size // 2] = generator.uniform(0.5, 1)
        flat.append(off(values))
    assert np.median(flat) > 20 * np.median(mixed)


def test_a_workload_that_leaves_flat_images_out_chooses_its_batches():
    with pytest.raises(ValidationError, match="state a margin, too"):
        ProofExtents(guided=True, flat=0.2)
    stated = find_workload("imagenet-resnet56").proof
    assert stated.margin and stated.flat
