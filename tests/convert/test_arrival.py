"""What a framework must do with the weights before they have arrived."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rosettabench.catalogue.workload import find_workload
from rosettabench.convert.arrival import Arrival, check_telling, compare_held, require, sample_work
from rosettabench.convert.conversion import check_content
from rosettabench.data.prepared import Part, Prepared
from rosettabench.data.readers.weights_file import encode_weights
from rosettabench.errors import ProofError
from rosettabench.proof.check import Check
from rosettabench.proof.first_walk import Evaluation
from rosettabench.proof.weights import draw_weights, save_weights

WORKLOAD = find_workload("fashion-mlp")
PATH = Path("new.npz")
INFINITE = float("inf")


def arrival(*checks):
    return Arrival("jax", 80, [Check(*check) for check in checks])


def off(value, allowed=1e-5):
    return "evaluation logits", None, None, value, allowed


def test_a_tensor_that_is_held_otherwise_is_seen(tmp_path):
    weights = draw_weights(WORKLOAD, 0)
    given = save_weights(weights, tmp_path / "given")
    moved = {**weights, "output.kernel": np.nextafter(weights["output.kernel"], np.float32(1))}
    for held, wrong in ((weights, set()), (moved, {"output.kernel"})):
        found = compare_held(save_weights(held, tmp_path / "held"), given)
        assert {one.tensor for one in found if one.value} == wrong
    lost = {name: path for name, path in given.items() if name != "hidden.bias"}
    assert {one.tensor for one in compare_held(lost, given) if one.value} == {"hidden.bias"}


@pytest.mark.parametrize("name", ["logits", "outputs"])
def test_outputs_that_are_the_same_for_every_sample_prove_nothing(tmp_path, name):
    def evaluation(outputs):
        np.save(tmp_path / "outputs.npy", outputs)
        return Evaluation({name: str(tmp_path / "outputs.npy")}, len(outputs), 0)

    check_telling(evaluation(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.5]])), "fashion-mlp")
    for outputs in (np.zeros((3, 2)), np.tile([1.0, 2.0], (3, 1)), np.ones((3, 4, 2))):
        with pytest.raises(ProofError, match="fashion-mlp has the same outputs for every sample: they prove nothing"):
            check_telling(evaluation(outputs), "fashion-mlp")


def test_what_is_near_enough_is_required_of_both():
    good, bad = arrival(off(9e-6)), arrival(off(2e-5))
    require([good, good], "fashion-mlp from pytorch to jax", PATH)
    for pair in ([good, bad], [bad, good]):
        with pytest.raises(ProofError, match=r"off by 2e-05 where 1e-05 is allowed") as caught:
            require(pair, "fashion-mlp from pytorch to jax", PATH)
        assert "fashion-mlp from pytorch to jax is not proven, and new.npz is not written" in caught.value.what


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([off(float("nan"))], "evaluation logits of jax are off by nan"),
        ([off(INFINITE)], "evaluation logits of jax are off by inf"),
        (
            [off(1e-7), ("kept", None, "hidden.bias", float("inf"), 0.0)],
            "jax holds another hidden.bias than it was given",
        ),
        ([off(1e-7), ("samples", None, "evaluation", float("inf"), 0.0)], "jax does not evaluate every sample"),
    ],
)
def test_every_failure_has_its_words(checks, said):
    with pytest.raises(ProofError) as caught:
        require([arrival(*checks)], "fashion-mlp from pytorch to jax", PATH)
    assert said in caught.value.what


@pytest.mark.parametrize("there", [1000, 5])
def test_the_first_samples_of_the_test_part_are_evaluated(tmp_path, there):
    inputs, labels = np.random.default_rng(0).random((there, 784), np.float32), np.zeros(there, np.int64)
    np.save(tmp_path / "inputs.npy", inputs)
    np.save(tmp_path / "labels.npy", labels)
    nothing = Part(tmp_path / "none.npy", tmp_path / "none.npy", 0)
    part = Part(tmp_path / "inputs.npy", tmp_path / "labels.npy", there)
    data = Prepared("fashion-mnist", "original", "", "", tmp_path, nothing, part)
    work = sample_work(WORKLOAD, data, draw_weights(WORKLOAD, 0), tmp_path / "work")
    assert work.setting.batch_size == WORKLOAD.batch_size
    assert work.data.test.samples == min(there, 3 * WORKLOAD.batch_size)
    np.testing.assert_array_equal(np.load(work.data.test.inputs), inputs[: work.data.test.samples])
    assert np.load(work.batches).max() < work.data.train.samples
    infers = find_workload("resnet50-features")
    drawn = sample_work(infers, replace(data, train=part, test=nothing), {}, tmp_path / "inferred")
    assert drawn.data.train.samples == min(there, 3 * infers.proof.batch_size)


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
def test_a_file_must_hold_what_was_carried(tmp_path, ending):
    own = {"kernel": np.ones((2, 3), np.float32), "bias": np.zeros(2, np.float32)}
    path = tmp_path / f"new{ending}"
    check_content(encode_weights(own, path), own, path)
    others = [
        {"kernel": own["kernel"]},
        {**own, "bias": -own["bias"]},  # -0.0 equals 0.0, and is another bit
        {**own, "bias": own["bias"].astype(np.float64)},
        {**own, "kernel": own["kernel"].T},
    ]
    for other in others:
        with pytest.raises(ProofError, match="would not hold the same numbers"):
            check_content(encode_weights(other, path), own, path)
