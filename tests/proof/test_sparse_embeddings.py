"""Sparse gradients of an embedding: who has them is proven against a lazy Adam, and who has none says so."""

import pytest
from laboratory import Plant, environment, make_work, open_session, proven, reference
from test_plants import prove

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError, WorkerError
from rosettabench.plan.learning_rate import DECAY
from rosettabench.plan.proof_steps import pace_of
from rosettabench.plan.setting import settings
from rosettabench.proof.reference import follow

pytestmark = pytest.mark.environment

BATCH = 4
IGNORED = ('self.setting.embedding_gradient == "sparse"', "False")
ALWAYS = ('self.setting.embedding_gradient == "sparse"', "True")


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    """imdb-gru with sparse gradients and a rate that falls, and the reference."""
    folder = tmp_path_factory.mktemp("sparse")
    work = make_work(find_workload("imdb-gru"), folder, BATCH, embedding_gradient="sparse", schedule=DECAY)
    return work, reference(work, folder / "reference")


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    """imdb-gru as it always was."""
    folder = tmp_path_factory.mktemp("dense")
    work = make_work(find_workload("imdb-gru"), folder, BATCH)
    return work, reference(work, folder / "reference")


@pytest.mark.slow
@pytest.mark.parametrize(
    "label", ["pytorch", "pytorch@1.0.0", "mxnet-gluon", "mxnet-gluon:compiled", "mxnet-module", "mxnet-module@1.4.0"]
)
def test_a_lazy_adam_is_proven(label, sparse, tmp_path):
    work, exact = sparse
    one = parse_contender(label)
    proof, settings = proven(one.entry, one.mode, work, exact, tmp_path, one.lock)
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert settings["embedding_gradient"] == "sparse"


WITHOUT = ["jax", "tensorflow", "keras[tensorflow]", "chainer", "tensorflow-graph", "cntk", "caffe2", "paddle", "mlx"]


@pytest.mark.slow
@pytest.mark.parametrize("framework", WITHOUT)
def test_who_has_none_says_so(framework, sparse, tmp_path):
    work, _ = sparse
    entry = all_frameworks()[framework]
    with pytest.raises(WorkerError, match=r"no sparse gradients|not lazy|no lazy") as refused:
        open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path)
    assert refused.value.kind == "unsupported"


@pytest.mark.slow
def test_two_references_are_lazy_alike(sparse, tmp_path):
    work, exact = sparse
    entry = all_frameworks()["reference-jax"]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path, "float64")
    try:
        session.build(exact.start, pace=pace_of(work.workload))
        deviations = list(follow(session, tmp_path / "walk", exact.steps, exact.start))
    finally:
        session.process.close()
    assert max(deviations, key=lambda deviation: deviation.value).value < 1e-9


@pytest.mark.slow
def test_an_adam_that_is_not_lazy_is_caught_and_named(sparse, tmp_path):
    plant = Plant("not lazy", "imdb-gru", (), "", "", (IGNORED,))
    proof = prove(plant, lambda name: sparse, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step, failed.tensor) == ("update", 1, "embedding")
    assert "the optimiser is not lazy" in proof.cause


@pytest.mark.slow
def test_a_lazy_adam_is_caught_where_none_is_meant(dense, tmp_path):
    plant = Plant("lazy", "imdb-gru", (), "", "", (ALWAYS,))
    proof = prove(plant, lambda name: dense, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step, failed.tensor) == ("update", 1, "embedding")
    assert "the optimiser is lazy" in proof.cause


@pytest.mark.slow
def test_the_shipped_epsilon_of_sparse_adam_is_caught(sparse, tmp_path):
    shipped = ("AdamBesideSparse(self.optimizer,", "shipped(self.optimizer,")
    after = (
        "def dense(gradient):",
        "def shipped(adam, sparse):\n"
        "    from rosetta_worker.optimizers import pytorch\n\n"
        "    pytorch.SparseAdam = torch.optim.SparseAdam\n"
        "    return AdamBesideSparse(adam, sparse)\n\n\n"
        "def dense(gradient):",
    )
    proof = prove(Plant("epsilon", "imdb-gru", (), "", "", (shipped, after)), lambda name: sparse, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step, failed.tensor) == ("update", 0, "embedding")
    assert "epsilon-hat" in proof.cause


def test_a_workload_without_an_embedding_refuses():
    with pytest.raises(UsageError, match="fashion-mlp has no embedding") as refused:
        settings(find_workload("fashion-mlp"), {"embedding_gradient": ["sparse"]})
    assert "imdb-gru, imdb-gru:reset-before, imdb-lstm" in refused.value.hint
