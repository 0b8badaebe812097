"""What an A/A control rests on: two copies of a contender do the same work."""

import numpy as np
import pytest
from laboratory import environment, make_work, open_session

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.proof.weights import draw_weights, perturb, save_weights

pytestmark = [pytest.mark.environment, pytest.mark.slow]

STEPS = 20


@pytest.fixture
def trained(tmp_path):
    """From a framework and a copy's number: its losses, step by step, and the parameters that it ends with."""
    work = make_work(find_workload("fashion-mlp"), tmp_path / "work")

    def train(framework, copy, weights=None):
        entry = all_frameworks()[framework]
        session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / f"copy-{copy}")
        try:
            session.build(weights)
            losses = [session.train(step, 1).loss for step in range(STEPS)]
            files = session.ask("parameters", folder=str(tmp_path / f"parameters-{copy}"))["files"]
            return losses, {name: np.load(file) for name, file in files.items()}
        finally:
            session.process.close()

    return train


@pytest.mark.parametrize("framework", ["pytorch", "jax", "mxnet-gluon", "tensorflow"])
def test_copies_that_begin_alike_repeat_each_other_to_the_last_bit(framework, trained):
    (losses, parameters), (again, ended) = trained(framework, 1), trained(framework, 2)
    assert losses == again
    assert all(np.array_equal(parameters[name], ended[name]) for name in parameters)


def test_a_copy_whose_weights_are_moved_by_a_unit_in_the_last_place_drifts(trained, tmp_path):
    moved = save_weights(perturb(draw_weights(find_workload("fashion-mlp"), 0), 1), tmp_path / "moved")
    (losses, parameters), (again, ended) = trained("pytorch", 1), trained("pytorch", 2, moved)
    assert losses != again
    assert np.allclose(losses, again, rtol=1e-3, atol=0)
    assert all(not np.array_equal(parameters[name], ended[name]) for name in parameters)
