"""What does not fit is told in one sentence, with the file and the nearest names."""

from pathlib import Path

import numpy as np
import pytest

from rosettabench.convert.fit import check_tensors, narrow_tensors, passed_over
from rosettabench.errors import DataError

LAYOUT = {"hidden.weight": (3, 2), "hidden.bias": (3,), "output.weight": (2, 3), "output.bias": (2,)}
FIXED = np.zeros(3, np.float32)
BESIDE = {"lstm.bias_hh_l0": FIXED, "norm.num_batches_tracked": np.array(0)}
PATH = Path("model.npz")


def whole(**changes):
    """The tensors of a file that fits, some changed; None leaves one out."""
    tensors = {name: np.ones(shape, np.float32) for name, shape in LAYOUT.items()}
    changed = tensors | {name.replace("__", "."): value for name, value in changes.items()}
    return {name: value for name, value in changed.items() if value is not None}


def refusal(tensors):
    """The sentence by which they are refused."""
    with pytest.raises(DataError) as caught:
        check_tensors(PATH, tensors, LAYOUT, BESIDE, "fashion-mlp in pytorch")
    assert "\n" not in caught.value.what and "model.npz" in caught.value.what and caught.value.hint
    return caught.value.what


def test_what_fits():
    check_tensors(PATH, whole(), LAYOUT, BESIDE, "fashion-mlp in pytorch")


def test_a_missing_tensor_and_the_nearest_name():
    said = refusal(whole(hidden__weight=None, hiden__weight=np.ones((3, 2), np.float32)))
    assert "does not fit fashion-mlp in pytorch" in said
    assert "it lacks 1 of 4 tensors: hidden.weight (is it hiden.weight?)" in said
    assert "1 unknown tensor: hiden.weight" in said


def test_many_missing_tensors_are_counted():
    said = refusal({"nothing": np.ones(1, np.float32)})
    assert "it lacks 4 of 4 tensors: hidden.bias, hidden.weight, output.bias and 1 more" in said


def test_a_surplus_tensor():
    assert "1 unknown tensor: third.weight" in refusal(whole(third__weight=np.ones((2, 2), np.float32)))


def test_another_shape():
    assert "1 of another shape: hidden.weight is 2×3, not 3×2" in refusal(
        whole(hidden__weight=np.ones((2, 3), np.float32))
    )


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(number):
    said = refusal(whole(hidden__bias=np.array([1, number, number], np.float32)))
    assert said == "hidden.bias in model.npz holds 2 numbers that are NaN or infinite"


def test_whole_numbers_are_no_weights():
    assert "hidden.bias in model.npz is int64" in refusal(whole(hidden__bias=np.ones(3, np.int64)))


@pytest.mark.parametrize("number", [0.1, 1e300, 1e-300])
def test_float64_that_float32_does_not_hold(number):
    said = refusal(whole(hidden__bias=np.array([1, 2, number])))
    assert "hidden.bias in model.npz is float64, and has 1 number that is not exact in float32" in said


def test_float64_and_float16_that_float32_holds():
    halves = np.array([0.1, 6e-8, 65504], np.float16)
    for exact in (halves, halves.astype(np.float64)):
        tensors = whole(hidden__bias=exact)
        check_tensors(PATH, tensors, LAYOUT, BESIDE, "fashion-mlp in pytorch")
        found = narrow_tensors(tensors)["hidden.bias"]
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, halves)


def test_counters_are_passed_over():
    tensors = whole(norm__num_batches_tracked=np.array(17), optimizer__iterations=np.array(4))
    check_tensors(PATH, tensors, LAYOUT, BESIDE, "fashion-mlp in pytorch")
    assert passed_over(tensors, LAYOUT) == ["norm.num_batches_tracked", "optimizer.iterations"]


def test_what_the_implementation_fixes_must_be_as_it_is():
    fixed = {**whole(), "lstm.bias_hh_l0": FIXED}
    check_tensors(PATH, fixed, LAYOUT, BESIDE, "fashion-mlp in pytorch")
    said = refusal({**fixed, "lstm.bias_hh_l0": FIXED + 1})
    assert said == "lstm.bias_hh_l0 in model.npz is not what fashion-mlp in pytorch fixes it to, and would be lost"
