"""The releases of 2017 to 2019 do the same work as today's, where their own mistakes are made good; and not where not.

Here each kind of layer is proven in each release; `rosetta prove --all` proves every cell.
"""

import pytest
from laboratory import environment, make_work, open_session, proven

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import find_framework
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import WorkerError

pytestmark = pytest.mark.environment

CELLS = {
    "pytorch@1.0.0": ["fashion-mlp", "fashion-cnn", "imdb-gru", "imdb-lstm", "cifar-resnet56", "resnet50-features"],
    "mxnet-gluon@1.4.0": ["fashion-mlp", "imdb-gru", "cifar-resnet56", "resnet50-features"],
    "mxnet-gluon@1.4.0:compiled": ["imdb-gru", "cifar-resnet56"],
    "mxnet-module@1.4.0": ["fashion-cnn", "imdb-lstm", "cifar-vgg", "chestxray-densenet121"],
    "mxnet-gluon@1.0.0": ["fashion-mlp", "resnet50-features", "chestxray-densenet121"],
    "mxnet-gluon@1.0.0:compiled": ["imdb-gru"],
    "mxnet-module@1.0.0": ["imdb-lstm", "chestxray-densenet121"],
}
"""By contender, small workloads that have, between them, every kind of layer that the release is proven with."""


@pytest.mark.parametrize(("workload", "label"), [(one, label) for label, names in CELLS.items() for one in names])
def test_equal_work_in_an_old_release(workload, label, references, tmp_path):
    work, exact = references(workload)
    contender = parse_contender(label)
    proof, settings = proven(contender.entry, contender.mode, work, exact, tmp_path, contender.lock)
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert (settings["device"], settings["precision"], settings["mode"]) == ("cpu", "float32", contender.mode)


def test_every_old_release_is_proven_here():
    here = {parse_contender(label).lock for label in CELLS}
    for name in ("pytorch", "mxnet-gluon", "mxnet-module"):
        assert set(find_framework(name).locks[1:]) <= here


@pytest.mark.parametrize(
    ("label", "axes", "why"),
    [
        ("pytorch@1.0.0", {"precision": "bfloat16"}, "autocast"),
        ("pytorch@1.0.0", {"input": "loader"}, "DataLoader"),
        ("mxnet-gluon@1.4.0", {"precision": "bfloat16"}, "bfloat16"),
        ("mxnet-module@1.0.0", {"input": "loader"}, "1.4 and newer"),
        ("mxnet-gluon@1.0.0", {"embedding_gradient": "sparse"}, "sparse gradients"),
    ],
)
def test_what_came_later_is_refused_in_a_sentence(label, axes, why, tmp_path):
    work = make_work(find_workload("fashion-mlp"), tmp_path, **axes)
    contender = parse_contender(label)
    with pytest.raises(WorkerError, match=why) as refused:
        open_session(contender.entry, contender.mode, environment(contender.lock), work, tmp_path / "session")
    assert refused.value.kind == "unsupported"
