"""Clipping by the norm of all gradients, as a proof has it, and what it is mistaken for."""

from math import hypot

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosettabench.catalogue.optimizer import Adam, Sgd
from rosettabench.catalogue.workload import find_workload
from rosettabench.proof.optimizers import by_element, clip_gradients, leave_gradients, one_by_one, suspects
from rosettabench.proof.optimizers import hyperparameters_of as as_given

ADAM = {"name": "adam", "learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
FLOATS = st.floats(-10, 10).map(lambda one: 0.0 if abs(one) < 1e-9 else one)


@given(arrays(float, 4, elements=FLOATS), arrays(float, (2, 3), elements=FLOATS), st.floats(0.01, 30))
def test_all_together_are_no_longer_than_stated_and_point_where_they_did(kernel, bias, longest):
    gradients = {"kernel": kernel, "bias": bias}
    whole = hypot(*(float(np.linalg.norm(one)) for one in gradients.values()))
    found = clip_gradients(Adam(**ADAM, clip_norm=longest), gradients)
    factor = min(1.0, longest / whole) if whole else 1.0
    for name, one in gradients.items():
        assert found[name] == pytest.approx(factor * one)


def test_the_ways_to_clip_by_hand():
    gradients = {"one": np.array([3.0, 4.0]), "other": np.array([0.0, 12.0])}  # norms 5 and 12, together 13
    found = clip_gradients(Adam(**ADAM, clip_norm=6.5), gradients)
    assert {name: one.tolist() for name, one in found.items()} == {"one": [1.5, 2], "other": [0, 6]}
    assert one_by_one(gradients, 6.0)["one"].tolist() == [3, 4] and one_by_one(gradients, 6.0)["other"].tolist() == [
        0,
        6,
    ]
    assert by_element(gradients, 3.5)["one"].tolist() == [3, 3.5]
    assert leave_gradients(gradients, 1.0) == gradients
    for optimizer in (Adam(**ADAM), Sgd(name="sgd", learning_rate=1, momentum=0)):
        assert clip_gradients(optimizer, gradients)["other"].tolist() == [0, 12]


def test_decay_is_a_penalty_to_a_trajectory():
    assert as_given(Adam(**ADAM)) == {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    assert as_given(find_workload("deepar-monash").optimizer)["penalty"] == 1e-8
    decoupled = [change for change in suspects(Adam(**ADAM, weight_decay=0.3)).values() if change.get("decay") == 0.3]
    assert decoupled == [{"penalty": 0.0, "decay": 0.3}]
    assert all("decay" not in change or change["decay"] > 0 for change in suspects(Adam(**ADAM)).values())
