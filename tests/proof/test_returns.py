"""A proof whose steps return to the first weights: the optimiser goes on, and whoever counts on less is caught."""

import numpy as np
import pytest
from laboratory import Plant, make_work, references_to
from smaller import Altered
from test_plants import prove
from whole_plants import CORRECTED_TWICE, ONE_OF_ITS_OWN, ONE_STEP_OLD, STALE, STANDS_OUT

from rosettabench.catalogue.workload import find_workload

pytestmark = [pytest.mark.environment, pytest.mark.slow]

FORGETS = (
    ("        self.optimizer.step()\n", "        self.optimizer.step()\n        self.optimizer.state.clear()\n"),
)
"""The optimiser begins anew with each step."""


def returning(name, folder):
    """Work on a workload whose proof takes four steps, each from the first weights."""
    stated = find_workload(name)
    update = {"guided": True, "returns": True, "margin": 1e-5, "batch_size": 8, "steps": 4}
    proof = stated.proof.model_copy(update=update)
    return make_work(Altered(**stated.model_copy(update={"proof": proof}).model_dump(), altered={}), folder)


@pytest.fixture(scope="module")
def references_that_return(tmp_path_factory):
    """Work and reference, made once."""
    return references_to(returning, tmp_path_factory)


def test_each_step_begins_with_the_first_weights_and_trains_on_another_batch(references_that_return):
    _, exact = references_that_return("fashion-cnn")
    for step in range(1, 4):
        begin = exact.begin_of(step)
        assert all(np.array_equal(np.load(begin[name]), np.load(path)) for name, path in exact.start.items())
    gradients = [np.load(step.gradients["conv1.kernel"]) for step in exact.steps]
    moves = [np.load(step.parameters["conv1.kernel"]) - np.load(exact.start["conv1.kernel"]) for step in exact.steps]
    assert all((gradients[0] != other).any() for other in gradients[1:])
    assert np.abs(moves[3]).max() < 1.01e-3, "a move is that of one step"
    assert all(margin.nearest >= 1e-5 for margin in exact.margins)


def test_an_honest_contender_is_proven(references_that_return, tmp_path):
    proof = prove(Plant("none", "fashion-cnn", (), "", ""), references_that_return, tmp_path)
    assert proof.passed, [check for check in proof.checks if not check.passed][:3]
    assert list(proof.guided) == [1, 2, 3]


@pytest.mark.parametrize(
    ("adapter", "quantity", "step"),
    [
        (FORGETS, "update", 1),
        (CORRECTED_TWICE, "update", 2),
        (STALE, "unguided loss", 2),
        (ONE_STEP_OLD, "unguided loss", 2),
        (ONE_OF_ITS_OWN, "unguided loss", 3),
    ],
    ids=[
        "an optimiser that forgets",
        "bias corrections of two steps",
        "stale weights",
        "weights that are one step old",
        "one update of its own",
    ],
)
def test_mistakes_in_later_steps_are_caught(adapter, quantity, step, references_that_return, tmp_path):
    proof = prove(Plant("mistake", "fashion-cnn", (), "", "", adapter), references_that_return, tmp_path)
    first = next(check for check in proof.checks if not check.passed)
    assert (first.quantity, first.step) == (quantity, step)
    assert first.share > STANDS_OUT
