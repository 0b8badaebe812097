"""The axis `devices`: what it shares out, and the sentences with which it refuses."""

import pytest

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError
from rosettabench.plan import setting as module
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import ExplainRequest, RunRequest
from rosettabench.plan.setting import most_devices, settings, without_defaults


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch):
    """Let the laboratory have four processors, whatever this machine has."""
    monkeypatch.setattr(module, "usable_cores", lambda: 4)


def plan(workload, frameworks, **axes):
    """The plan of a run."""
    return make_plan(RunRequest(workloads=(workload,), contenders=frameworks, axes=axes))


def test_all_settings_of_a_run_have_equal_threads_on_each_device():
    found = settings(find_workload("fashion-cnn"), {"devices": [1, 2, 4]})
    assert [(one.devices, one.threads, one.cores) for one in found] == [(1, 1, 1), (2, 1, 2), (4, 1, 4)]
    assert [one.threads for one in settings(find_workload("fashion-cnn"), {"devices": [1, 2]})] == [2, 2]
    assert most_devices({}) == 1


def test_one_device_is_what_was_before():
    (only,) = settings(find_workload("fashion-cnn"), {})
    assert only.devices == 1 and only.threads == 4
    assert "devices" not in without_defaults(only.as_json())


@pytest.mark.parametrize(
    ("workload", "axes", "sentence"),
    [
        ("fashion-cnn", {"devices": [8]}, "devices=8 with threads=1 each takes 8 processors, .* may use 4"),
        ("fashion-cnn", {"devices": [2], "threads": [4]}, "devices=2 with threads=4 each takes 8 processors"),
        ("fashion-cnn", {"devices": [3]}, "a batch of 32 samples does not divide among 3 devices"),
        ("cifar-resnet56", {"devices": [2]}, "would not be equal work: its batch normalisation"),
        ("deepar-monash", {"devices": [2]}, "would not be equal work: .*(weighted mean|drop units)"),
        ("resnet50-features", {"devices": [2]}, "it only infers"),
        ("fashion-cnn", {"devices": [2], "input": ["loader"]}, "input=loader has not been tried on several devices"),
        ("fashion-cnn", {"devices": [2], "precision": ["bfloat16"]}, "precision=bfloat16 has not been tried"),
        ("fashion-cnn", {"devices": [2], "device": ["cuda"]}, "device=cuda has not been tried"),
    ],
)
def test_what_would_be_other_work_or_does_not_fit_is_refused_in_a_sentence(workload, axes, sentence):
    with pytest.raises(UsageError, match=sentence) as caught:
        settings(find_workload(workload), axes)
    assert caught.value.hint


def test_the_hint_for_a_batch_that_does_not_divide_names_one_that_does():
    with pytest.raises(UsageError) as caught:
        settings(find_workload("fashion-cnn"), {"devices": [3]})
    assert "batch_size=33" in caught.value.hint


def test_a_framework_without_an_implementation_is_missing_with_a_sentence_that_says_who_has_one():
    alone, several = plan("fashion-cnn", ("pytorch", "mlx"), devices=[1, 2])
    assert not alone.missing
    assert {one.framework for one in several.contenders} == {"pytorch"}
    (why,) = several.missing.values()
    assert why == (
        "mlx has no implementation for several devices. Several devices train in: "
        "jax, keras[tensorflow], keras[jax], mxnet-gluon, paddle, pytorch, tensorflow"
    )
    with pytest.raises(UsageError, match="nothing to run: mlx"):
        plan("fashion-cnn", ("mlx",), devices=[2])


def test_a_back_end_without_means_is_missing_and_the_others_are_not():
    (several,) = plan("fashion-cnn", ("keras[tensorflow]", "keras[jax]", "keras[torch]"), devices=[2])
    assert {one.framework for one in several.contenders} == {"keras[tensorflow]", "keras[jax]"}
    (why,) = several.missing.values()
    assert why.startswith("keras[torch] trains on one device only: Keras 3.15 has no keras.distribution on PyTorch, ")


def test_each_implementation_belongs_to_a_framework():
    folder = next(iter(competing_frameworks().values())).parallel.parent
    own = {"__init__", "__main__", "device", "group", "kept", "merge"}
    named = {one.parallel for one in competing_frameworks().values()}
    assert {path for path in folder.glob("*.py") if path.stem not in own} <= named


def test_the_parts_of_a_step_are_examined_on_one_device():
    request = ExplainRequest(workloads=("fashion-cnn",), contenders=("pytorch", "jax"), axes={"devices": [2]})
    with pytest.raises(UsageError, match="takes a step apart on one device"):
        make_plan(request)
