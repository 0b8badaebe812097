"""Losses that count no sample above a limit: MXNet's own, and that of Keras 2 on MXNet (docs/findings.md)."""

import pytest
from laboratory import Plant, make_work, references_to
from test_plants import prove

from rosettabench.catalogue.workload import find_workload

pytestmark = [pytest.mark.environment, pytest.mark.slow]


def very_wrong(name, folder):
    """A workload whose proof begins with such large weights that some samples are very wrong."""
    workload = find_workload(name)
    large = {"proof": "normal(4)"}
    tensors = tuple(one.model_copy(update=large) if one.name == "output.kernel" else one for one in workload.tensors)
    return make_work(workload.model_copy(update={"tensors": tensors}), folder)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    """Work and reference, made once."""
    return references_to(very_wrong, tmp_path_factory)


@pytest.mark.parametrize(
    ("framework", "mode", "cause"),
    [
        ("mxnet-gluon", "eager", "a probability below 1e-08 for 1e-08: no sample's is above 18.4"),
        ("keras2[mxnet]", "compiled", "a probability below 1e-07 for 1e-07: no sample's is above 16.1"),
    ],
)
def test_a_loss_with_a_limit_is_caught_and_named(framework, mode, cause, wrong, tmp_path):
    plant = Plant("its own loss", "fashion-mlp", (), "loss", cause, framework=framework, mode=mode)
    proof = prove(plant, wrong, tmp_path)
    first = next(check for check in proof.checks if not check.passed)
    assert first.quantity == "loss" and first.share > 10
    assert cause in proof.cause


def test_a_loss_without_a_limit_is_proven(wrong, tmp_path):
    proof = prove(Plant("none", "fashion-mlp", (), "", ""), wrong, tmp_path)
    assert proof.passed, [check for check in proof.checks if not check.passed][:3]
