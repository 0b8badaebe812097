"""Axes that came later: their defaults, what they refuse, and how contests are named by them."""

import json
from types import SimpleNamespace

import pytest

from rosettabench.catalogue.optimizer import WarmUpCosine
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.errors import UsageError
from rosettabench.history.cell import key_of
from rosettabench.plan.learning_rate import DECAY, schedule_of
from rosettabench.plan.plan import at_proof, make_plan
from rosettabench.plan.proof_steps import pace_of, steps_of
from rosettabench.plan.request import RunRequest
from rosettabench.plan.series import on_series
from rosettabench.plan.setting import (
    DEFAULTS,
    Setting,
    canonical_setting,
    distinguishing_words,
    read_axes,
    settings,
    with_defaults,
    without_defaults,
)

OLD = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 0, "threads": 2}
"""A setting as the store had it before there were other axes."""

MLP = find_workload("fashion-mlp")


def contest(setting):
    """A stored contest, as far as its key goes."""
    return SimpleNamespace(workload="fashion-mlp", setting=setting, entries=[])


def test_an_old_result_and_a_new_one_have_one_key():
    entry = SimpleNamespace(entry=SimpleNamespace(python=None, lock="a", framework="pytorch", mode="eager"))
    new = Setting(32, "cpu", "float32", 0, 2).as_json()
    assert set(new) == {*OLD, *DEFAULTS}
    assert key_of(contest(OLD), entry) == key_of(contest(new), entry)
    assert key_of(contest(OLD), entry) != key_of(contest({**new, "schedule": DECAY}), entry)


def test_a_certificate_is_bound_to_what_an_old_one_was():
    setting = Setting(32, "cpu", "float32", 0, 2)
    assert json.dumps(without_defaults(setting.as_json())) == json.dumps(OLD)
    assert without_defaults({**OLD, "schedule": DECAY})["schedule"] == DECAY
    assert with_defaults(OLD) == setting.as_json()


def test_a_contest_is_named_by_what_is_unusual():
    other = {**OLD, "schedule": DECAY}
    assert distinguishing_words(OLD, [OLD], MLP) == distinguishing_words(OLD, [OLD], None) == []
    assert distinguishing_words(other, [other], MLP) == [f"schedule {DECAY}"]
    assert distinguishing_words(OLD, [OLD, other], MLP) == ["schedule constant"]
    small = {**OLD, "batch_size": 8}
    assert distinguishing_words(small, [OLD], None) == ["batch size 8"]
    assert distinguishing_words(small, [small], MLP) == ["batch size 8"], "nor is that of its workload"
    assert distinguishing_words(small, [small], None) == []


def test_every_combination_is_a_setting():
    found = settings(find_workload("fashion-mlp"), read_axes([f"schedule=constant,{DECAY}", "batch_size=8,16"]))
    assert [(one.schedule, one.batch_size) for one in found] == [
        ("constant", 8), ("constant", 16), (DECAY, 8), (DECAY, 16)
    ]  # fmt: skip
    assert canonical_setting(find_workload("fashion-mlp")).schedule == "constant"


def test_an_unknown_schedule_is_refused_with_the_nearest():
    with pytest.raises(UsageError) as refused:
        read_axes(["schedule=decay-0.9"])
    assert DECAY in refused.value.hint


def test_a_workload_without_steps_refuses_them():
    with pytest.raises(UsageError, match="fashion-mlp states no steps") as refused:
        settings(find_workload("fashion-mlp"), {"schedule": ["steps"]})
    assert "cifar-resnet56" in refused.value.hint
    [setting] = settings(find_workload("cifar-resnet56"), {"schedule": ["steps"]})
    assert schedule_of(setting.schedule, find_workload("cifar-resnet56")) == {
        "name": "steps", "after": [80, 120, 160, 180], "factors": [0.1, 0.01, 0.001, 0.0005]
    }  # fmt: skip


@pytest.mark.parametrize("workload", all_workloads().values(), ids=lambda one: one.name)
def test_the_steps_of_a_proof_meet_boundaries(workload):
    pace, steps = pace_of(workload), steps_of(workload)
    epochs = [step // pace.steps_per_epoch * pace.epochs_apart for step in range(steps)]
    assert all(epoch % 10 == 0 for epoch in epochs), "each is the first epoch of a tenth: a late decay shows"
    if isinstance(workload.schedule, WarmUpCosine):
        assert epochs[0] < workload.schedule.warm_up
        assert epochs[-1] >= workload.schedule.until
        return
    stated = workload.schedule.after if workload.schedule else ()
    assert {*stated[-1:]} <= set(epochs)
    assert len(set(stated) & set(epochs)) >= min(len(stated), 2)


def test_a_set_of_series_is_a_setting_of_a_workload_on_series():
    workload = find_workload("deepar-monash")
    found = settings(workload, read_axes(["series=tourism_monthly,m4_hourly"]))
    assert [one.series for one in found] == ["tourism_monthly", "m4_hourly"]
    assert canonical_setting(workload).series == with_defaults(OLD)["series"] == "tourism_monthly"
    assert on_series(workload, "tourism_monthly") is workload and workload.data.set == "monash-tourism_monthly"
    other = on_series(workload, "m4_hourly")
    assert other.data.set == "monash-m4_hourly"
    assert {one.positions for one in workload.operations.values()} == {(15 + 24,)}
    assert {one.positions for one in other.operations.values()} == {(210 + 48,)}
    with pytest.raises(UsageError, match="fashion-mlp trains on no time series") as refused:
        settings(find_workload("fashion-mlp"), {"series": ["hospital"]})
    assert refused.value.hint == "Available: deepar-monash."
    with pytest.raises(UsageError) as refused:
        read_axes(["series=hospitl"])
    assert "hospital" in refused.value.hint


def test_a_plan_says_why_a_framework_does_not_take_part():
    request = RunRequest(workloads=("deepar-monash",), contenders=("pytorch", "chainer"), axes={"series": ["hospital"]})
    (contest,) = make_plan(request)
    assert contest.workload.data.set == "monash-hospital"
    why = find_workload("deepar-monash").absent["chainer"]
    assert contest.missing == {"chainer": f"chainer has no implementation of deepar-monash: {why}"}
    proven = at_proof(contest)
    assert proven.workload.data.set == "monash-hospital"
    assert (contest.workload.optimizer.clip_norm, proven.workload.optimizer.clip_norm) == (10, 0.02)


def test_tf32_is_refused_where_no_gpu_computes():
    for axes in (["precision=tf32"], ["precision=float32,tf32", "device=cuda,cpu"]):
        with pytest.raises(UsageError, match="TF32 is a format of NVIDIA's GPUs") as refused:
            settings(find_workload("fashion-mlp"), read_axes(axes))
        assert "--set device=cuda" in refused.value.hint
    [setting] = settings(find_workload("fashion-mlp"), read_axes(["precision=tf32", "device=cuda"]))
    assert (setting.precision, setting.device) == ("tf32", "cuda")


def test_drawn_data_are_nobodys_originals():
    for name in ("resnet50-synthetic", "resnet50-features"):
        with pytest.raises(UsageError, match=f"the data of {name} are random") as refused:
            settings(find_workload(name), read_axes(["data=synthetic,real"]))
        assert "data=synthetic" in refused.value.hint
        [setting] = settings(find_workload(name), read_axes(["data=synthetic"]))
        assert setting.data == "synthetic"


def test_real_and_synthetic_are_two_contests_and_what_is_found_is_what_was_before():
    workload = find_workload("chestxray-densenet121")
    assert [one.data for one in settings(workload, read_axes(["data=real,synthetic"]))] == ["real", "synthetic"]
    assert canonical_setting(workload).data == with_defaults(OLD)["data"] == "found"
    assert distinguishing_words({**OLD, "data": "synthetic"}, [OLD], MLP) == ["data synthetic"]


def test_picture_files_are_read_where_a_workload_trains_on_them():
    found = settings(find_workload("chestxray-densenet121"), read_axes(["input=files", "workers=0,2"]))
    assert [(one.input, one.workers) for one in found] == [("files", 0), ("files", 2)]
    for name in ("fashion-mlp", "imdb-gru", "resnet50-synthetic", "resnet50-features"):
        with pytest.raises(UsageError, match=f"{name} trains on no picture files") as refused:
            settings(find_workload(name), {"input": ["files"]})
        assert refused.value.hint == "There are: chestxray-densenet121, imagenet-resnet56."
