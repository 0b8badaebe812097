"""A group of devices without a framework: shares of the batch, merged replies, ports."""

import socket

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosetta_worker.parallel.device import share
from rosetta_worker.parallel.group import free_ports
from rosetta_worker.parallel.merge import merge
from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.roots import group_program, worker_folder
from rosettabench.catalogue.workload import find_workload
from rosettabench.client.counts import Counts, shares
from rosettabench.proof.certificate import files_of
from rosettabench.proof.sources import sources


@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 4))
def test_the_shares_of_all_devices_are_the_batch(steps, size, devices):
    rows = np.arange(steps * size * devices).reshape(steps, size * devices)
    own = [share(rows, number, devices) for number in range(devices)]
    assert np.array_equal(np.concatenate(own, axis=1), rows)
    assert all(np.array_equal(one, other) for one, other in zip(own, shares(rows, devices), strict=True))


def test_a_batch_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="a batch of 5 samples does not divide among 2 devices"):
        share(np.zeros((1, 5)), 0, 2)


def test_a_group_is_as_slow_as_its_slowest_device_and_its_loss_is_the_mean():
    one = {"elapsed_s": 1.0, "cpu_s": 0.5, "loss": 2.0, "samples": 16, "updates": 3, "labels": "a", "looked_at": [0]}
    other = {**one, "elapsed_s": 2.0, "loss": 4.0, "labels": "b"}
    found = merge("train", [one, other], "")
    assert (found["elapsed_s"], found["cpu_s"], found["loss"], found["samples"]) == (2.0, 1.0, 3.0, 32)
    assert "labels" not in found and [device["labels"] for device in found["devices"]] == ["a", "b"]
    assert merge("train", [one, {**other, "loss": None}], "")["loss"] is None


def test_batches_and_logits_are_joined_and_gradients_kept_apart(tmp_path):
    replies = []
    for number in range(2):
        files = {name: str(tmp_path / f"{name}-{number}.npy") for name in ("inputs", "labels", "logits", "kernel")}
        for path in files.values():
            np.save(path, np.full((2, 3), number))
        replies.append({"files": files})
    joined = merge("batch", replies, str(tmp_path))["files"]
    assert np.load(joined["inputs"]).tolist() == [[0] * 3] * 2 + [[1] * 3] * 2
    found = merge("gradients", replies, str(tmp_path))
    assert np.load(found["files"]["logits"]).shape == (4, 3)
    assert found["files"]["kernel"] == replies[0]["files"]["kernel"]
    assert found["others"][0]["kernel"] == replies[1]["files"]["kernel"] and "logits" not in found["others"][0]


def test_the_processors_of_a_group_are_those_of_all_devices():
    replies = [{"settings": {"threads": 1, "processors": [number]}} for number in (1, 0)]
    assert merge("settings", replies, "")["settings"] == {"threads": 1, "processors": [0, 1], "devices": 2}


def test_a_port_in_use_is_not_chosen():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = free_ports(50)
        assert taken.getsockname()[1] not in ports
    assert len(set(ports)) == 50


def test_the_labels_of_each_device_are_held_against_its_own_share():
    labels, rows = np.arange(100), np.arange(8).reshape(2, 4)

    def counted(*shares_seen):
        devices = [
            {
                "updates": 2,
                "batches": 2,
                "looked_at": [0, 1],
                "labels": Counts(0, 2, looked_at=(0, 1))._expected_digest(labels, own),
            }
            for own in shares_seen
        ]
        return Counts.of_reply(0, 2, {"updates": 2, "batches": 2, "devices": devices})

    first, second = shares(rows, 2)
    assert counted(first, second).fault(labels, rows, 2) is None
    assert counted(first, second).fault(labels, rows, 3) == "2 devices counted where 3 were asked for"
    assert Counts.of_reply(0, 2, {}).fault(labels, rows, 2) == "0 devices counted where 2 were asked for"
    assert str(counted(first, first).fault(labels, rows, 2)).startswith("device 1: the labels of 2 batches")


def test_a_proof_for_several_devices_is_bound_to_their_files_and_one_for_a_single_device_is_not():
    workload, entry = find_workload("fashion-mlp"), all_frameworks()["pytorch"]
    alone, several = files_of(workload, entry), files_of(workload, entry, devices=2)
    assert {what for what in alone if alone[what] != several[what]} == {"worker"}
    names = {path.name for path in sources([group_program(), entry.parallel])}
    assert {"group.py", "device.py", "merge.py"} <= names
    assert not any("parallel" in path.parts for path in sources([entry.adapter, worker_folder() / "__main__.py"]))
