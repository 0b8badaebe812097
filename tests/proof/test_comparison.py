"""How far off: relative to each tensor's own size, and to that of all where the reference has none."""

from math import inf, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.catalogue.workload import find_workload
from rosettabench.proof.comparison import LEAST, NOTHING, compare_parameters, off_logits
from rosettabench.proof.weights import save_weights

SIZES = st.floats(1e-6, 1e6)


def test_outputs_that_a_workload_names_are_compared_each_by_itself():
    outputs = find_workload("deepar-monash").outputs
    exact = np.ones((2, 3, 3)) * [3, 1e4, 1]
    found = exact + np.array([0.3, 0, 0])
    told = {one.tensor: one.value for one in off_logits(found, exact, 0, "logits", outputs)}
    assert told == {"freedom": pytest.approx(0.1), "location": 0, "width": 0}
    (whole,) = off_logits(found, exact, 0, "logits")
    assert whole.tensor is None and whole.value < 1e-4, "three classes are no distribution"
    (shape,) = off_logits(found[:1], exact, 0, "logits", outputs)
    assert shape.value == inf


def deviations(folder, found, reference, start):
    """The deviations of parameters that were written to files, by name."""
    files = [save_weights(one, folder / str(place)) for place, one in enumerate((found, reference, start))]
    return {one.tensor: one.value for one in compare_parameters(*files, 3, "parameter")}


@given(SIZES, SIZES)
def test_what_does_not_move_is_measured_by_what_does(tmp_path_factory, moved, off):
    start = {"kernel": np.ones(4), "bias": np.zeros(3)}
    reference = {"kernel": start["kernel"] + moved, "bias": start["bias"]}
    found = {"kernel": reference["kernel"], "bias": start["bias"] + off}
    told = deviations(tmp_path_factory.mktemp("files"), found, reference, start)
    movement = 2 * ((1 + moved) - 1)  # as floating point has it
    assert told["kernel"] == 0
    assert isclose(told["bias"], 3**0.5 * off / movement, rel_tol=1e-9)


@given(st.floats(2e-6, 1e-5))
def test_what_hardly_moves_is_measured_by_a_share_of_what_does(tmp_path_factory, moved):
    start = {"kernel": np.zeros(4), "bias": np.zeros(1)}
    reference = {"kernel": np.full(4, 0.5), "bias": np.full(1, moved)}
    told = deviations(tmp_path_factory.mktemp("files"), {**reference, "bias": np.full(1, 2 * moved)}, reference, start)
    assert isclose(told["bias"], moved / LEAST, rel_tol=1e-6)


@given(st.floats(1e-20, 0.9 * NOTHING))
def test_what_moves_by_round_off_alone_is_measured_by_what_does(tmp_path_factory, moved):
    start = {"kernel": np.zeros(4), "bias": np.zeros(1)}
    reference = {"kernel": np.full(4, 0.5), "bias": np.full(1, moved)}
    told = deviations(tmp_path_factory.mktemp("files"), {**reference, "bias": np.full(1, 1e-3)}, reference, start)
    assert isclose(told["bias"], 1e-3 - moved, rel_tol=1e-6)


def test_where_nothing_moves_only_equality_is_equal(tmp_path):
    start = {"kernel": np.ones(4)}
    assert deviations(tmp_path / "same", start, start, start) == {"kernel": 0}
    assert deviations(tmp_path / "other", {"kernel": np.full(4, 2.0)}, start, start) == {"kernel": inf}


def test_a_tensor_that_is_missing_is_infinitely_far_off(tmp_path):
    start, reference = {"kernel": np.ones(4), "bias": np.ones(2)}, {"kernel": np.zeros(4), "bias": np.zeros(2)}
    assert deviations(tmp_path, {"kernel": np.zeros(4)}, reference, start) == {"kernel": 0, "bias": inf}


def test_every_class_of_a_sequence_counts():
    exact = np.random.default_rng(0).standard_normal((4, 16, 65))
    found = exact.copy()
    found[..., 40] += 0.1
    (whole,) = off_logits(found, exact, 0, "logits")
    assert whole.value > 1e-3
