"""The parts of a step, asked of real frameworks: each does what it says, no more and no less."""

import sys
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment, make_work, open_session, small_work
from tiers import slow, slow_except

from rosetta_worker.loop import Worker
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.errors import WorkerError
from rosettabench.reasons.measured import Profile
from rosettabench.reasons.vocabulary import IDLE, OTHER, WORDS, spent

KERAS = ("keras[tensorflow]", "keras[jax]", "keras[torch]")
BUILT_IN = (
    "pytorch", "tensorflow", *KERAS, "jax", "mxnet-gluon", "mxnet-module", "chainer", "tensorflow-graph", "paddle",
)  # fmt: skip
WITHOUT_PROFILER = ("cntk", "caffe2", "mlx", "tinygrad")
CELLS = [(name, mode) for name in (*BUILT_IN, *WITHOUT_PROFILER) for mode in competing_frameworks()[name].modes]
FUSED = {
    *(("jax", "compiled"), ("jax", "tuned"), ("mlx", "compiled"), ("tinygrad", "compiled")),
    *((name, mode) for name in KERAS for mode in competing_frameworks()[name].modes),
}
MXNET = {(name, workload) for name in ("mxnet-gluon", "mxnet-module") for workload in ("imdb-gru", "imdb-lstm")}
WHOLE_SEQUENCE = MXNET | {
    ("pytorch", "imdb-lstm"),
    ("pytorch", "deepar-monash"),
    ("mxnet-gluon", "deepar-monash"),
    ("tensorflow-graph", "imdb-lstm"),
    ("paddle", "imdb-gru"),
    ("paddle", "imdb-lstm"),
}
"""Who computes which recurrent layer with one kernel for the whole sequence, so that no matrix product shows."""

TRAINED = [
    (name, workload)
    for name in BUILT_IN
    for workload, one in all_workloads().items()
    if one.inference is None
    and one.variant_of is None
    and workload != "imagenet-resnet56"
    and competing_frameworks()[name].implementation_name not in one.absent
]
"""Who trains what; of two workloads whose operations are the same, the one with the smaller images. No variants."""

STEPS = 4


QUICK = ("pytorch", "eager"), ("jax", "compiled")
"""One that takes a step in parts, and one whose step is one piece."""


@pytest.fixture(
    scope="module", params=[cell if cell in QUICK else slow(cell) for cell in CELLS], ids=lambda cell: ":".join(cell)
)
def session(request, tmp_path_factory):
    name, mode = request.param
    entry, folder = competing_frameworks()[name], tmp_path_factory.mktemp("session")
    work = make_work(find_workload("fashion-mlp"), folder / "work")
    live = open_session(entry, mode, environment(entry.locks[0]), work, folder / "at-work")
    live.cell = request.param
    yield live
    live.process.close()


def parameters(session, name):
    files = session.ask("parameters", folder=str(session.folder / name))["files"]
    return {tensor: np.load(path) for tensor, path in files.items()}


def assert_near(one, other):
    """Equal but for the last bits: an optimiser by itself may round otherwise than within a compiled step."""
    for name, tensor in one.items():
        np.testing.assert_allclose(other[name], tensor, rtol=1e-4, atol=2e-6, err_msg=name)


@pytest.mark.environment
def test_reuse_trains_as_train_does(session):
    session.build()
    start = parameters(session, "start")
    session.train(0, STEPS)
    trained = parameters(session, "trained")
    session.build()
    reply = session.ask("reuse", first=0, steps=STEPS)
    assert_near(trained, parameters(session, "reused"))
    assert np.abs(trained["hidden.kernel"] - start["hidden.kernel"]).max() > 1e-3
    assert reply["elapsed_s"] > 0
    session.build()
    assert reply["loss"] == pytest.approx(session.train(0, STEPS).loss, rel=1e-4)


@pytest.mark.environment
def test_what_updates_nothing_updates_nothing(session):
    session.build()
    start = parameters(session, "start")
    session.ask("feed", first=0, steps=STEPS)
    session.ask("backpropagate", first=0, steps=STEPS)
    assert_near(start, parameters(session, "after"))
    session.train(0, 1)
    stepped = parameters(session, "stepped")
    session.build()
    session.train(0, 1)
    assert_near(stepped, parameters(session, "again"))


@pytest.mark.environment
def test_the_optimiser_alone_is_the_optimiser_or_says_why_not(session):
    session.build()
    if session.cell in FUSED:
        with pytest.raises(WorkerError) as caught:
            session.ask("update", first=0, steps=1)
        assert caught.value.kind == "unsupported"
        assert "one piece" in caught.value.what
        return
    session.ask("update", first=0, steps=1)
    alone = parameters(session, "alone")
    session.build()
    session.train(0, 1)
    assert_near(parameters(session, "whole"), alone)
    session.ask("update", first=0, steps=STEPS)


@pytest.mark.environment
def test_other_batch_sizes_are_trained_in_the_same_process(session, tmp_path):
    for size in (2, 16, 8):
        np.save(tmp_path / f"{size}.npy", np.arange(size * STEPS).reshape(STEPS, size))
        session.ask("batches", path=str(tmp_path / f"{size}.npy"))
        assert session.ask("feed", first=0, steps=STEPS)["samples"] == size * STEPS
        session.ask("reuse", first=0, steps=STEPS)


@pytest.mark.environment
@pytest.mark.parametrize(("name", "workload"), slow_except(TRAINED, ("jax", "fashion-mlp")))
def test_the_vocabulary_knows_what_the_profilers_say(name, workload, tmp_path):
    entry = competing_frameworks()[name]
    work = small_work(workload, tmp_path / "work")
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "at-work")
    try:
        session.train(0, 2)
        reply = session.ask("profile", first=2, steps=STEPS, folder=str(tmp_path / "profile"))
    finally:
        session.process.close()
    profile = Profile.model_validate({"steps": STEPS, **{key: reply[key] for key in ("elapsed_s", "operations")}})
    found = spent(name, profile)
    whole = profile.elapsed_s / STEPS
    assert sum(found.values()) == pytest.approx(whole, rel=0.05)
    assert found[OTHER] < 0.2 * whole
    assert found[IDLE] < whole
    assert found["optimiser"] > 0
    kinds = {product.kind for product in work.workload.operations.values()}
    kernel = "convolution" if "convolution" in kinds else "matmul"
    assert found["recurrent" if (name, workload) in WHOLE_SEQUENCE else kernel] > 0
    assert set(found) == set(WORDS)


def test_a_framework_without_these_methods_says_so(tmp_path):
    third_party = Path(__file__).parents[1] / "third_party" / "rosetta_numpy"
    worker = Worker()
    random = np.random.default_rng(0)
    shapes = {"hidden.kernel": (128, 784), "hidden.bias": (128,), "output.kernel": (10, 128), "output.bias": (10,)}
    for name, shape in shapes.items():
        np.save(tmp_path / f"{name}.npy", random.normal(0, 0.05, shape).astype("float32"))
    np.save(tmp_path / "inputs.npy", random.random((50, 784)).astype("float32"))
    np.save(tmp_path / "labels.npy", random.integers(0, 10, 50).astype("int32"))
    np.save(tmp_path / "batches.npy", np.arange(48).reshape(6, 8))
    optimizer = {"name": "adam", "learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    setting = {"mode": "eager", "precision": "float32", "threads": 1, "batch_size": 8, "optimizer": optimizer}
    before = set(sys.modules)
    framework, implementation = third_party / "frameworks/numpy.py", third_party / "workloads/fashion_mlp/numpy.py"
    worker.do_open(str(framework), str(implementation), setting)
    worker.do_build({name: str(tmp_path / f"{name}.npy") for name in shapes})
    worker.do_data("train", str(tmp_path / "inputs.npy"), str(tmp_path / "labels.npy"))
    worker.do_batches(str(tmp_path / "batches.npy"))
    for request in ("reuse", "backpropagate", "update"):
        reply = worker.answer({"id": 1, "do": request, "first": 0, "steps": 2})
        assert reply["error"]["kind"] == "unsupported"
        assert "adapter" in reply["error"]["message"]
    profiled = worker.answer({"id": 1, "do": "profile", "first": 0, "steps": 2, "folder": str(tmp_path / "p")})
    assert profiled["error"]["kind"] == "unsupported"
    assert worker.do_feed(first=0, steps=2)["samples"] == 16
    for name in set(sys.modules) - before:
        if name.startswith("rosetta_framework") or name.startswith("rosetta_implementation"):
            del sys.modules[name]
