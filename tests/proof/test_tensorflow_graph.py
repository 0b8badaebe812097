"""TensorFlow 1: what it does by itself, as docs/findings.md has it, and that a proof sees it."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from laboratory import Plant, environment, make_work, open_session
from laboratory import reference as reference_to
from test_plants import prove

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.optimizer import Sgd
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import WorkerError
from rosettabench.plan.learning_rate import DECAY
from rosettabench.plan.plan import why_missing

pytestmark = [pytest.mark.environment, pytest.mark.slow]

ESTIMATOR = parse_contender("tensorflow-graph:estimator")
CHECK = Path(__file__).parent / "check_tensorflow1.py"
ADAM = "Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)"
AS_SHIPPED = Plant(
    "TensorFlow 1: epsilon hat",
    "fashion-mlp",
    (("return Adam(", "return tf.train.AdamOptimizer("),),
    "update",
    "before the bias correction",
    framework="tensorflow-graph",
    mode="compiled",
)
WITH_MOMENTUM = ((ADAM, "tf.train.MomentumOptimizer(hyper.learning_rate, momentum=hyper.momentum)"),)


@pytest.fixture(scope="module")
def found():
    words = [str(environment("tensorflow@1.13.1").python), "-W", "ignore", str(CHECK), str(worker_folder())]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_fused_normalisation_keeps_another_variance_than_the_one_here(found):
    assert found["variance"] == {"own": pytest.approx(2), "here": pytest.approx(1)}


def test_a_fused_normalisation_has_a_least_epsilon(found):
    assert found["epsilon"] == {
        "fused": pytest.approx(1.001e-5, rel=1e-3),
        "not fused": pytest.approx(1e-7, rel=1e-3),
    }


def test_a_pass_back_is_computed_and_a_group_of_gradients_is_not(found):
    """Two products forward, three more back; of what a tf.group waits for, TensorFlow computes nothing."""
    assert found["products"] == {"forward": 2, "train": 5, "backpropagate": 5, "group": 0}


def test_its_own_adam_is_caught_and_named(references, tmp_path):
    proof = prove(AS_SHIPPED, references, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == (AS_SHIPPED.diverges, 0)
    assert AS_SHIPPED.cause in (proof.cause or "")


def test_its_momentum_follows_a_schedule(tmp_path):
    """Its velocity sums up gradients, not steps: what Keras refuses is the workload's own optimiser here."""
    sgd = Sgd(name="sgd", learning_rate=0.1, momentum=0.9)
    work = make_work(find_workload("fashion-mlp").model_copy(update={"optimizer": sgd}), tmp_path, 4, schedule=DECAY)
    exact = reference_to(work, tmp_path / "reference")
    plant = Plant("none", "fashion-mlp", WITH_MOMENTUM, "", "", framework="tensorflow-graph", mode="compiled")
    proof = prove(plant, lambda name: (work, exact), tmp_path / "proof")
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)


BY_ESTIMATOR = replace(AS_SHIPPED, mode="estimator")


def test_a_mistake_in_an_estimators_step_is_caught(references, tmp_path):
    """What is proven is what the Estimator's own loop does."""
    proof = prove(BY_ESTIMATOR, references, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == (AS_SHIPPED.diverges, 0)


@pytest.fixture
def by_estimator(references, tmp_path):
    work, _ = references("fashion-mlp")
    entry = all_frameworks()["tensorflow-graph"]
    session = open_session(entry, "estimator", environment("tensorflow@1.13.1"), work, tmp_path / "at-work")
    yield session
    session.process.close()


def test_an_estimator_takes_turns(by_estimator, tmp_path):
    """Between two blocks its loop waits, and it can begin anew; blocks end where single steps end."""
    session, work = by_estimator, by_estimator.work
    losses = [session.train(step, 1).loss for step in range(4)]
    single = session.ask("parameters", folder=str(tmp_path / "single"))["files"]
    session.build(work.weights)
    assert session.train(0, 3).loss == pytest.approx(sum(losses[:3]) / 3)
    assert session.train(3, 1).loss == pytest.approx(losses[3])
    block = session.ask("parameters", folder=str(tmp_path / "block"))["files"]
    for name in single:
        np.testing.assert_array_equal(np.load(single[name]), np.load(block[name]))
    assert session.settings()["compiler"] == "Estimator"
    session.build(work.weights, dropout=False)
    assert session.train(0, 1).loss == pytest.approx(losses[0])


def test_what_goes_wrong_in_an_estimators_thread_is_told(by_estimator, tmp_path):
    rows = np.full((1, by_estimator.work.setting.batch_size), 10**9)
    np.save(tmp_path / "rows.npy", rows)
    by_estimator.ask("batches", path=str(tmp_path / "rows.npy"))
    with pytest.raises(WorkerError, match="out of bounds"):
        by_estimator.train(0, 1)


def test_an_estimator_infers_nothing():
    assert "reads a checkpoint" in why_missing(find_workload("resnet50-features"), ESTIMATOR)
    assert why_missing(find_workload("chestxray-densenet121"), ESTIMATOR) is None
