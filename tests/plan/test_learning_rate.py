"""Schedules of the learning rate that a workload states: their values, and who may be asked for them."""

import pytest
from pydantic import ValidationError

from rosettabench.catalogue.optimizer import WarmUpCosine
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.learning_rate import COSINE, STEPS, Pace, check_schedule, pace_of_training, schedule_of
from rosettabench.plan.plan import make_plan
from rosettabench.plan.proof_steps import pace_of
from rosettabench.plan.request import RunRequest
from rosettabench.plan.setting import settings

NANOGPT = WarmUpCosine(warm_up=100, until=2000, final=0.1)


def with_cosine():
    return find_workload("fashion-mlp").model_copy(update={"schedule": NANOGPT})


@pytest.mark.parametrize(
    ("step", "factor"),
    [(0, 1 / 101), (99, 100 / 101), (100, 1.0), (1050, 0.55), (1525, 0.23180195), (2000, 0.1), (5000, 0.1)],
)
def test_the_rate_rises_and_falls_as_that_of_nanogpt(step, factor):
    assert NANOGPT.factor(step) == pytest.approx(factor, rel=1e-7)


def test_a_schedule_that_leaves_no_step_to_fall_in_is_refused():
    with pytest.raises(ValidationError, match="must come after warm_up"):
        WarmUpCosine(warm_up=100, until=100)


def test_every_step_is_written_out_for_the_workers():
    sent = schedule_of(COSINE, with_cosine())
    assert sent["after"] == list(range(2001))
    assert sent["factors"] == [NANOGPT.factor(step) for step in range(2001)]


def test_each_step_counts_as_an_epoch_in_training_and_the_proof_meets_the_last():
    assert pace_of_training(COSINE, 937) == Pace(1)
    assert pace_of_training(STEPS, 937) == Pace(937)
    assert 9 * pace_of(with_cosine()).epochs_apart >= NANOGPT.until


@pytest.mark.parametrize(
    ("workload", "asked"), [("fashion-mlp", COSINE), ("cifar-resnet56", COSINE), ("fashion-mlp", STEPS)]
)
def test_a_workload_that_does_not_state_it_refuses_it(workload, asked):
    with pytest.raises(UsageError, match=f"has no schedule={asked}"):
        check_schedule(asked, find_workload(workload))


def test_a_workload_that_states_it_takes_it():
    (setting,) = settings(with_cosine(), {"schedule": [COSINE]})
    assert setting.schedule == COSINE


@pytest.mark.parametrize(("full", "axes", "schedule"), [
    (True, {}, COSINE), (False, {}, "constant"), (True, {"schedule": ["constant"]}, "constant"),
])  # fmt: skip
def test_a_full_training_follows_the_schedule_without_being_asked(full, axes, schedule, monkeypatch):
    monkeypatch.setattr("rosettabench.plan.plan.find_workload", lambda name: with_cosine())
    request = RunRequest(workloads=["fashion-mlp"], contenders=["pytorch"], full=full, axes=axes)
    (contest,) = make_plan(request)
    assert contest.setting.schedule == schedule
