"""A unit that round-off turns is no mistake, and a mistake of its size is one."""

import numpy as np
import pytest
from laboratory import environment, make_work, open_session, proof_of, tamper
from smaller import Altered, with_files

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.proof.reference import make_reference
from rosettabench.proof.tolerance import LARGEST, SAFETY
from rosettabench.proof.turning import MOVED, turning_noise
from rosettabench.proof.weights import proof_weights

pytestmark = [pytest.mark.environment, pytest.mark.slow]

ON_EDGE = (3, 17)
"""The sample of the first batch whose input of a ReLU is zero but for round-off, and which of the 128 that is."""

TURNED = (("F.relu(self.hidden(images))", "F.relu(self.hidden(images) - 2e-7)"),)
"""Round-off, all of it downwards: the unit on the edge is off."""

SCALED = (("F.relu(self.hidden(images))", "F.relu(Scaled.apply(self.hidden(images)))"),)
WRONG = """import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 1

    @staticmethod
    def backward(context, gradient):
        return gradient * 1.002


class Model("""


@pytest.fixture(scope="module")
def at_work(tmp_path_factory):
    """Work whose first batch has one unit on the edge, and, by name, references with it there and off it."""
    folder = tmp_path_factory.mktemp("turning")
    stated = find_workload("fashion-mlp")
    guided = stated.model_copy(update={"proof": stated.proof.model_copy(update={"margin": None})})
    workload = Altered(**guided.model_dump(include=set(Workload.model_fields)), altered={})
    work = make_work(workload, folder / "work", batch_size=256)  # one sample of 32 moves a gradient by 6e-2
    weights = proof_weights(work.workload, 0)
    on_edge = {**weights, "hidden.bias": weights["hidden.bias"].copy()}
    sample, unit = ON_EDGE
    image = np.load(work.data.train.inputs, mmap_mode="r")[np.load(work.batches)[0, sample]].ravel().astype(np.float64)
    on_edge["hidden.bias"][unit] = -(image @ weights["hidden.kernel"][unit].astype(np.float64)) + 5e-8
    entry = all_frameworks()["reference-pytorch"]

    def start(precision, rounded, place):
        return open_session(entry, entry.mode, environment(entry.locks[0]), work, place, precision, rounded)

    made = {
        name: make_reference("reference-pytorch", work, start, own, folder / name)
        for name, own in {"on edge": on_edge, "off edge": weights}.items()
    }
    return work, made


def proof(at_work, weights, changes, folder):
    """The finished proof of PyTorch with its implementation changed."""
    work, made = at_work
    entry = all_frameworks()["pytorch"]
    source = work.workload.implementation("pytorch")
    planted = with_files(work, {"pytorch": tamper(source, changes, folder / source.name)})
    session = open_session(entry, entry.mode, environment(entry.locks[0]), planted, folder / "session")
    try:
        return proof_of(session, made[weights], folder / "proof")
    finally:
        session.process.close()


def test_moved_weights_turn_the_unit_on_the_edge_and_nothing_else(at_work):
    _, made = at_work
    assert turning_noise(made["on edge"], 0)["hidden.kernel"] > 1e-4
    assert max(turning_noise(made["off edge"], 0).values()) < 100 * MOVED


def test_a_turned_unit_is_proven(at_work, tmp_path):
    turned = proof(at_work, "on edge", TURNED, tmp_path)
    assert turned.passed, [check for check in turned.checks if not check.passed][:3]
    shown = [check for check in turned.checks if check.quantity == "gradient" and check.deviation > 1e-4]
    assert {(check.step, check.tensor) for check in shown} == {(0, "hidden.kernel"), (0, "hidden.bias")}
    noise = turning_noise(at_work[1]["on edge"], 0)
    assert all(check.tolerance == min(LARGEST, SAFETY * noise[check.tensor]) for check in shown)


def test_a_mistake_of_that_size_is_one(at_work, tmp_path):
    mistaken = proof(at_work, "off edge", (*SCALED, ("class Model(", WRONG)), tmp_path)
    failed = next(check for check in mistaken.checks if not check.passed)
    assert (failed.quantity, failed.step, failed.tensor) == ("gradient", 0, "hidden.kernel")
    assert failed.deviation == pytest.approx(0.002, rel=0.01)
    assert "1.002 times" in mistaken.cause
