"""What does not fit is refused: images too small for the network, and data too large for the memory of all."""

from pathlib import Path

import numpy as np
import pytest

from rosettabench.data.prepared import Part, Prepared
from rosettabench.errors import UsageError
from rosettabench.plan.estimate import least_memory
from rosettabench.plan.fit import check_fit
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import RunRequest

CNN = "fashion-cnn"


def contest(name, batch_size=32, source="memory"):
    """The plan of one contest."""
    axes = {"batch_size": [batch_size], "input": [source]}
    request = RunRequest(workloads=(name,), contenders=("pytorch",), axes=axes)
    return make_plan(request)[0]


def prepared(folder, shape, kind=np.uint8):
    """Prepared data of 90 + 10 samples of a shape."""
    parts = []
    for part, samples in (("train", 90), ("test", 10)):
        np.save(folder / f"{part}.npy", np.zeros((samples, *shape), kind))
        parts.append(Part(folder / f"{part}.npy", Path("labels"), samples))
    return Prepared("photographs", "original", "", "", folder, *parts)


@pytest.mark.parametrize(("shape", "large_enough"), [((1, 28, 28), True), ((1, 26, 26), True), ((1, 28, 25), False)])
def test_images_are_as_large_as_the_first_layer_needs_them(tmp_path, shape, large_enough):
    data = prepared(tmp_path, shape)
    if large_enough:
        check_fit(contest(CNN), data, 1, 1e12)
        return
    with pytest.raises(UsageError, match=r"images of 28 × 25 pixels are too small .* applied in 26 × 26 places"):
        check_fit(contest(CNN), data, 1, 1e12)


def test_what_is_no_image_has_no_size(tmp_path):
    check_fit(contest("fashion-mlp"), prepared(tmp_path, (784,), np.float32), 1, 1e12)


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_data_that_everybody_holds_count_for_everybody(tmp_path, kind):
    """Bytes, too, are held as numbers of four bytes."""
    data = prepared(tmp_path, (1, 28, 28), kind)
    needed = 3 * (100 * 784 * 4 + least_memory(contest(CNN)))
    check_fit(contest(CNN), data, 3, needed)
    with pytest.raises(UsageError, match=r"holds 100 samples of photographs, .* need at least"):
        check_fit(contest(CNN), data, 3, needed - 1)


def test_who_has_a_loader_holds_the_test_part_alone(tmp_path):
    data, one = prepared(tmp_path, (1, 28, 28)), contest(CNN, source="loader")
    needed = 3 * (10 * 784 * 4 + least_memory(one))
    check_fit(one, data, 3, needed)
    with pytest.raises(UsageError, match=r"holds 10 samples of photographs, .* need at least"):
        check_fit(one, data, 3, needed - 1)


def test_a_step_keeps_what_comes_out_of_each_product():
    """By hand: two convolutions and a dense layer, for each sample of the batch."""
    outputs = 26 * 26 * 64 + 24 * 24 * 32 + 10
    assert least_memory(contest(CNN, 33)) - least_memory(contest(CNN, 32)) == 4 * outputs


def test_a_workload_that_is_proven_on_small_images_takes_them(tmp_path):
    data = prepared(tmp_path, (3, 64, 64))
    check_fit(contest("resnet50-synthetic", 2), data, 1, 1e12)
    with pytest.raises(UsageError, match="64 × 64 pixels are too small for imagenet-resnet56"):
        check_fit(contest("imagenet-resnet56", 2), data, 1, 1e12)
