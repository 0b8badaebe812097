"""What an evaluation scores: accuracy from the worker's count, areas under the curve from its logits."""

from types import SimpleNamespace

import numpy as np
import pytest

from rosettabench.catalogue.workload import find_workload
from rosettabench.lab.score import scored_by_logits, scores


@pytest.fixture
def areas(tmp_path):
    """The work of chestxray-densenet121 with five test samples, and an evaluation of the first four."""
    labels = np.zeros((5, 14), np.float32)
    labels[:2, 3] = labels[1:3, 7] = labels[4] = 1  # the last one is not part of the evaluation
    logits = np.zeros((4, 14), np.float32)
    logits[0, 3] = logits[2, 7] = 1
    np.save(tmp_path / "labels.npy", labels)
    np.save(tmp_path / "logits.npy", logits)
    data = SimpleNamespace(test=SimpleNamespace(labels=tmp_path / "labels.npy"))
    work = SimpleNamespace(workload=find_workload("chestxray-densenet121"), data=data)
    return work, {"samples": 4, "files": {"logits": str(tmp_path / "logits.npy")}}


def test_labels_of_one_kind_are_left_out_and_counted(areas):
    (score,) = scores(*areas)
    assert (score.name, score.value) == ("mean_auc", 0.75)
    assert score.detail == {"labels": 2, "of": 14}


def test_nothing_is_scored_where_no_label_is_of_two_kinds(areas):
    work, found = areas
    np.save(found["files"]["logits"], np.zeros((0, 14), np.float32))
    assert list(scores(work, found)) == []


def test_forecasts_are_scored_by_the_likelihood_of_what_came_and_is_there(tmp_path):
    """Student's distribution of 3 degrees of freedom: its density at 0 is 2 / (π √3), and a width of 2 halves it."""
    labels = np.array([[[5, 1], [9, 0]], [[7, 1], [7, 1]]], np.float32)
    logits = np.array([[[3, 5, 1], [3, 0, 1]], [[3, 7, 1], [3, 7, 2]]], np.float32)
    np.save(tmp_path / "labels.npy", labels)
    np.save(tmp_path / "logits.npy", logits)
    data = SimpleNamespace(test=SimpleNamespace(labels=tmp_path / "labels.npy"))
    work = SimpleNamespace(workload=find_workload("deepar-monash"), data=data)
    (score,) = scores(work, {"samples": 2, "files": {"logits": str(tmp_path / "logits.npy")}})
    assert score.name == "mean_nll"
    assert score.value == pytest.approx(-np.log(2 / (np.pi * np.sqrt(3))) + np.log(2) / 3)


def test_accuracy_is_the_share_that_is_right():
    work = SimpleNamespace(workload=find_workload("fashion-mlp"))
    (score,) = scores(work, {"samples": 8, "correct": 6})
    assert (score.name, score.value, score.detail) == ("accuracy", 0.75, {})
    assert not scored_by_logits(work.workload) and scored_by_logits(find_workload("chestxray-densenet121"))
