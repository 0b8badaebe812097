"""The learning rate follows its schedule in every framework, and a proof sees where it does not."""

import pytest
from laboratory import Plant, environment, make_work, open_session, proven, reference
from test_plants import prove
from tiers import slow

from rosettabench.catalogue.framework import all_frameworks, competing_frameworks
from rosettabench.catalogue.optimizer import Sgd, Steps, WarmUpCosine
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import WorkerError
from rosettabench.plan.learning_rate import COSINE, DECAY

pytestmark = pytest.mark.environment

BATCH = 4
WITHOUT = ("cntk", "caffe2")
"""They say so: test_cntk_and_caffe2.py."""
MOMENTUM = Sgd(name="sgd", learning_rate=0.1, momentum=0.9)
TO_SGD = (
    ("from rosetta_worker.optimizers.keras import Adam", "from keras.optimizers import SGD"),
    ("Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)",
     "SGD(hyper.learning_rate, momentum=hyper.momentum)"),
)  # fmt: skip
IGNORED = ("while self.setting.schedule is not None and", "while False and")
HONEST_ABOUT_MOMENTUM = ("rate_within_momentum = True", "rate_within_momentum = False")


def made(folder, value, **changes):
    """Work of fashion-mlp on a schedule, and its reference."""
    work = make_work(find_workload("fashion-mlp").model_copy(update=changes), folder, BATCH, schedule=value)
    return work, reference(work, folder / "reference")


@pytest.fixture(scope="module")
def decaying(tmp_path_factory):
    return made(tmp_path_factory.mktemp("decaying"), DECAY)


def rates(exact):
    """The rates of the reference's steps over the first."""
    found = [step.turn.learning_rate for step in exact.steps]
    return [rate / found[0] for rate in found]


def proof_of(framework, mode, work, exact, folder):
    proof, _ = proven(all_frameworks()[framework], mode, work, exact, folder)
    return proof


@pytest.mark.slow
@pytest.mark.parametrize(
    "framework", [name for name, one in competing_frameworks().items() if name not in WITHOUT and not one.exported]
)
def test_every_framework_decays(framework, decaying, tmp_path):
    work, exact = decaying
    assert rates(exact) == pytest.approx([0.9 ** (2 * step) for step in range(10)])
    proof = proof_of(framework, competing_frameworks()[framework].mode, work, exact, tmp_path)
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert sum(check.quantity == "learning rate" for check in proof.checks) == 10


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["pytorch", "jax"])
def test_steps_of_a_workload(framework, tmp_path):
    stated = Steps(after=(80, 120, 160, 180), factors=(0.1, 0.01, 0.001, 0.0005))
    work, exact = made(tmp_path, "steps", schedule=stated)
    assert rates(exact) == pytest.approx([1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01, 0.001, 0.0005])
    proof = proof_of(framework, competing_frameworks()[framework].mode, work, exact, tmp_path)
    assert proof.passed, [check for check in proof.checks if not check.passed][:3]


@pytest.fixture(scope="module")
def warming_up(tmp_path_factory):
    stated = WarmUpCosine(warm_up=100, until=2000, final=0.1)
    return made(tmp_path_factory.mktemp("warming-up"), COSINE, schedule=stated)


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["pytorch", "jax", "tensorflow", "keras[jax]", "mxnet-gluon"])
def test_a_rate_that_changes_in_every_step(framework, warming_up, tmp_path):
    work, exact = warming_up
    stated = work.workload.schedule
    assert rates(exact) == pytest.approx([101 * stated.factor(230 * step) for step in range(10)])
    proof = proof_of(framework, competing_frameworks()[framework].mode, work, exact, tmp_path)
    assert proof.passed, [check for check in proof.checks if not check.passed][:3]


@pytest.mark.slow
def test_a_warm_up_that_is_left_out_is_caught(warming_up, tmp_path):
    plant = Plant("schedule", "fashion-mlp", (), "learning rate", "", (IGNORED,))
    proof = prove(plant, lambda name: warming_up, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == ("learning rate", 1)


@pytest.mark.slow
def test_a_proof_of_few_steps_meets_the_boundaries_of_its_workload(tmp_path):
    """cifar-resnet56 is proven in four steps: twenty epochs apart they would end before its rate is lowered at all."""
    work = make_work(find_workload("cifar-resnet56"), tmp_path, schedule="steps")
    exact = reference(work, tmp_path / "reference")
    assert rates(exact) == pytest.approx([1, 1, 0.01, 0.0005])
    plant = Plant("schedule", "cifar-resnet56", (), "learning rate", "the schedule is not followed", (IGNORED,))
    proof = prove(plant, lambda name: (work, exact), tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == ("learning rate", 2)
    assert plant.cause in proof.cause


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        slow(("self.scheduler.last_epoch < epoch", "self.scheduler.last_epoch < epoch - 1"), "that of another epoch"),
        slow(IGNORED, "the schedule is not followed"),
    ],
    ids=["one epoch too late", "ignored"],
)
def test_a_wrong_schedule_is_caught_and_named(change, cause, decaying, tmp_path):
    plant = Plant("schedule", "fashion-mlp", (), "learning rate", cause, (change,))
    proof = prove(plant, lambda name: decaying, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == ("learning rate", 1)
    assert cause in proof.cause


@pytest.mark.slow
def test_momentum_that_holds_the_rate_is_refused_and_would_not_be_equal(tmp_path):
    """Keras' v is m·v + rate·g: other than the workload's as soon as the rate changes, and the proof sees it."""
    entry = all_frameworks()["keras[tensorflow]"]
    work, exact = made(tmp_path, DECAY, optimizer=MOMENTUM)
    with pytest.raises(WorkerError, match="another optimiser as soon as the rate changes") as refused:
        open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "refused")
    assert refused.value.kind == "unsupported"
    plant = Plant("momentum", "fashion-mlp", TO_SGD, "", "", (HONEST_ABOUT_MOMENTUM,), "keras[tensorflow]", "compiled")
    proof = prove(plant, lambda name: (work, exact), tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == ("update", 1)
    assert "sums up rate times gradient" in proof.cause
