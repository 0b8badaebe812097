"""Canonical weights: the same everywhere, by name and seed alone."""

import numpy as np
import pytest

from rosettabench.catalogue.workload import Tensor, all_workloads, find_workload
from rosettabench.errors import UsageError
from rosettabench.proof.weights import draw, draw_weights, perturb, proof_weights, weights_digest

COUNTS = {
    "cifar-resnet56": 861_770,
    "cifar-resnet56:halves": 861_770,
    "imagenet-resnet56": 4_958_120,
    "cifar-vgg": 3_441_592,
    "cifar-vit": 2_693_194,
    "cifar-vit:forward": 2_693_194,
    "chestxray-densenet121": 6_968_206 + 2 * 41_824,
    "deepar-monash": 160 * (22 + 40 + 1) + 160 * (40 + 40 + 1) + 123,
    "fashion-diffusion": 215_713,
    "fashion-mlp": 101_770,
    "fashion-cnn": 203_434,
    "gpt-decode": (65 + 256) * 384 + 6 * (12 * 384**2 + 2 * 384) + 384,
    "gpt-decode:prefill": (65 + 256) * 384 + 6 * (12 * 384**2 + 2 * 384) + 384,
    "gpt-decode:short": (65 + 256) * 384 + 6 * (12 * 384**2 + 2 * 384) + 384,
    "imdb-gru": 3_750_000 + 68_100 + 202,
    "imdb-gru:reset-before": 3_750_000 + 67_800 + 202,
    "imdb-lstm": 160_000 + 53_200 + 202,
    "resnet50-features": 25_636_712 - 2_049_000 - 26_560,
    "resnet50-synthetic": 25_636_712,
    "shakespeare-gpt": 804_096,
    "shakespeare-gpt:gpu": (65 + 256) * 384 + 6 * (12 * 384**2 + 2 * 384) + 384,
}


@pytest.mark.parametrize("name", list(all_workloads()))
def test_shapes_and_counts(name):
    weights = draw_weights(find_workload(name), 0)
    assert sum(array.size for array in weights.values()) == COUNTS[name] == find_workload(name).parameters
    assert all(array.dtype == np.float32 for array in weights.values())


def test_weights_are_pinned():
    """The canonical numbers never change by accident: a certificate of one release must mean the same in the next."""
    assert weights_digest(draw_weights(find_workload("fashion-mlp"), 0))[:16] == "5736fbb96916ca16"


def test_tensors_have_streams_of_their_own():
    one, other = (
        Tensor(name="a", shape=(4, 3), init="glorot_uniform"),
        Tensor(name="b", shape=(4, 3), init="glorot_uniform"),
    )
    assert not np.array_equal(draw(one, 0), draw(other, 0))
    assert not np.array_equal(draw(one, 0), draw(one, 1))
    assert np.array_equal(draw(one, 0), draw(one, 0))


def test_glorot_counts_the_field_of_a_convolution():
    values = draw(Tensor(name="k", shape=(32, 64, 3, 3), init="glorot_uniform"), 0)
    limit = np.sqrt(6 / ((32 + 64) * 9))
    assert 0.98 * limit < np.abs(values).max() <= limit


def test_he_counts_the_field_of_a_convolution():
    values = draw(Tensor(name="k", shape=(32, 64, 3, 3), init="he_normal"), 0)
    deviation = np.sqrt(2 / (64 * 9))
    assert 0.98 < values.std() / deviation < 1.02
    assert np.abs(values).max() > 3 * deviation  # not truncated at two standard deviations, as Keras' is


def test_balanced_kernels_cancel_what_all_inputs_share_and_are_otherwise_those_of_he():
    shape = (32, 64, 3, 3)
    balanced = draw(Tensor(name="k", shape=shape, init="he_normal_balanced"), 0)
    assert np.abs(balanced.sum(axis=(1, 2, 3), dtype=np.float64)).max() < 1e-5
    by = draw(Tensor(name="k", shape=shape, init="he_normal"), 0) - balanced
    assert np.abs(by - by[:, :1, :1, :1]).max() < 1e-6, "all weights of one output are moved by the same"
    assert 0.98 < balanced.std() / np.sqrt(2 / (64 * 9)) < 1.02


def test_a_proof_may_begin_elsewhere():
    """Only tensors that say so differ, and the canonical weights are no others for it."""
    workload = find_workload("cifar-resnet56")
    canonical, proof = draw_weights(workload, 0), proof_weights(workload, 0)
    stated = {tensor.name for tensor in workload.tensors if tensor.proof}
    assert stated == {name for name in canonical if not np.array_equal(canonical[name], proof[name])}
    assert (proof["block3.norm1.shift"] == 5).all() and (canonical["block3.norm1.shift"] == 0).all()
    chosen = proof["block10.shortcut.kernel"][:, :, 0, 0]
    assert (chosen.sum(1) == 1).all() and (chosen.sum(0) == 2).all() and set(chosen.ravel()) == {0, 1}
    mlp = find_workload("fashion-mlp")
    assert weights_digest(proof_weights(mlp, 0)) == weights_digest(draw_weights(mlp, 0))


def test_an_unknown_rule_is_told():
    with pytest.raises(UsageError, match="unknown init 'magic'"):
        draw(Tensor(name="k", shape=(2, 2), init="magic"), 0)


def test_perturbation_is_one_unit_in_the_last_place():
    weights = draw_weights(find_workload("fashion-mlp"), 0)
    moved = perturb(weights, 1)
    kernel, changed = weights["hidden.kernel"], moved["hidden.kernel"]
    assert np.array_equal(moved["hidden.bias"], weights["hidden.bias"])
    assert np.abs(changed - kernel).max() <= np.spacing(np.abs(kernel)).max()
    assert (changed != kernel).all()
