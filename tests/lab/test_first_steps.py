"""The reference takes the first steps of a contest once; later contests find its answer."""

from types import SimpleNamespace

import numpy as np
import pytest
from laboratory import environment, open_session, small_work

from rosettabench.catalogue.framework import references
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import ProofError
from rosettabench.lab import first_steps
from rosettabench.lab.arrangement import obstacle_to_reference
from rosettabench.lab.first_steps import FirstSteps
from rosettabench.plan.plan import PlannedContest
from rosettabench.plan.setting import Setting
from rosettabench.watch.moves import TOGETHER

pytestmark = pytest.mark.environment


@pytest.fixture
def asked(tmp_path):
    """A function that makes one to ask about fashion-mlp; its list `started` has the precision of each reference."""
    work = small_work("fashion-mlp", tmp_path / "work")
    entry = references(work.workload)[0]

    def referee(folder, precision):
        make.started.append(precision)
        return open_session(entry, entry.mode, environment(entry.locks[0]), work, folder / "session", precision)

    def make(**subject):
        return FirstSteps(work, referee, lambda: subject, lambda _: "", tmp_path / "cache")

    make.started = []
    return make


def test_the_answer_is_the_references_and_is_kept(asked):
    found = asked(code="1").take(3)
    assert len(found.exact.losses) == 3
    assert found.exact.losses[0] > found.exact.losses[2] > 0
    tensors = {name: np.load(file) for name, file in found.exact.move.after.items()}
    assert {array.dtype for array in tensors.values()} == {np.dtype("float64")}
    assert all((tensors[name] != np.load(file)).any() for name, file in found.exact.move.before.items())
    assert 0 < max(found.noise([1, 2])) < 1e-5
    assert found.bounds(tensors) == TOGETHER, "there is next to no noise"
    again = asked(code="1").take(3)
    assert asked.started == ["float64", "float32"], "it was computed again"
    assert again == found
    assert asked(code="2").take(3).exact.losses == found.exact.losses
    assert len(asked.started) == 4, "other code has an answer of its own"
    assert len(asked(code="1").take(2).exact.losses) == 2


@pytest.mark.slow
def test_what_a_killed_run_has_left_is_removed_when_the_same_is_asked_again(asked, tmp_path):
    shelf = tmp_path / "cache" / "first-steps"
    other = shelf / ".ffff000011112222.abcd" / "answer"
    other.mkdir(parents=True)
    asked(code="1").take(2)
    (place,) = (one for one in shelf.iterdir() if one.is_dir() and not one.name.startswith("."))
    draft = shelf / f".{place.name}.abcd" / "answer"
    place.rename(shelf / "moved")
    draft.mkdir(parents=True)
    (draft / "answer.json").write_text("{")
    asked(code="1").take(2)
    assert place.is_dir()
    assert [one.name for one in shelf.glob(".*")] == [other.parent.name], "somebody else may be making that one"


def test_what_takes_too_long_is_not_waited_for_again(asked, monkeypatch):
    monkeypatch.setattr(first_steps, "AFFORDABLE_S", 0.0)
    for _ in range(2):
        assert asked().take(3) == "it takes more than 60 s"
    assert len(asked.started) == 1


def test_without_a_reference_the_reason_is_told(tmp_path):
    def fail(_folder, _precision):
        raise ProofError("no environment", "rosetta env make")

    one = FirstSteps(small_work("fashion-mlp", tmp_path / "work"), fail, dict, lambda _: "", tmp_path / "cache")
    assert one.take(3) == "no environment"
    dropping = FirstSteps(small_work("cifar-vgg", tmp_path / "vgg"), fail, dict, lambda _: "", tmp_path / "cache")
    assert "drops nothing" in dropping.take(3)
    (tmp_path / "file").touch()
    nowhere = FirstSteps(small_work("fashion-mlp", tmp_path / "mlp"), fail, dict, lambda _: "", tmp_path / "file")
    assert nowhere.take(3).startswith("its answer cannot be kept: [Errno 20] Not a directory")


def plan_of(workload, **setting):
    """What is planned of a workload, at its batch size unless another is named."""
    stated = find_workload(workload)
    words = {"batch_size": stated.training.batch_size, "device": "cpu", "precision": "float32", "seed": 0, "threads": 2}
    return PlannedContest(stated, Setting(**{**words, **setting}), (), {})


def test_a_reference_that_would_fill_the_memory_or_take_minutes_does_not_begin(monkeypatch):
    assert obstacle_to_reference(plan_of("fashion-mlp"), 6) == ""
    assert obstacle_to_reference(plan_of("resnet50-synthetic"), 6) == "it takes more than 60 s"
    assert obstacle_to_reference(plan_of("resnet50-synthetic", device="cuda"), 6) == "it takes more than 60 s"
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=2e9))
    assert obstacle_to_reference(plan_of("cifar-resnet56"), 2) == "it needs about 3.7 GB, and 2.0 GB are free"
