"""Every framework, in every mode, does the same work on every workload: the certificates that the project is about."""

import shutil
import time
from dataclasses import replace

import psutil
import pytest
from laboratory import BATCH, environment, open_session, proven, reference

from rosettabench.catalogue.framework import all_frameworks, competing_frameworks
from rosettabench.catalogue.framework import references as able
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.errors import WorkerError
from rosettabench.lab.synchronisation import measure_wait
from rosettabench.proof.comparison import Deviation, relative
from rosettabench.proof.inference import compare_outputs, infer
from rosettabench.proof.optimizers import wandering
from rosettabench.proof.reference import compare_evaluations, compare_walked
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.walk import read_array, walk

pytestmark = pytest.mark.environment

RECURRENT = ("imdb-gru", "imdb-lstm", "deepar-monash")
"""Workloads with a recurrent layer, which torch.compile leaves to Python: docs/findings.md."""

SMALL = ("fashion-mlp", "fashion-cnn", "resnet50-features")
"""The workloads that are proven here: of each framework the first that it does.

All other cells are in the register of proofs: `.ci/run` proves anew what a change made stale, and a sample."""

CELLS = [
    *(
        (next(one for one in SMALL if entry.does(find_workload(one))), name, mode)
        for name, entry in competing_frameworks().items()
        for mode in entry.modes
    ),
    *((workload, "pytorch", "compiled") for workload in RECURRENT),
]


@pytest.mark.parametrize(("workload", "framework", "mode"), CELLS)
def test_equal_work(workload, framework, mode, references, tmp_path):
    work, exact = references(workload)
    entry = all_frameworks()[framework]
    proof, settings = proven(entry, mode, work, exact, tmp_path)
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert settings["device"] == "cpu"
    assert settings["precision"] == "float32"
    partly = framework == "pytorch" and mode == "compiled" and workload in RECURRENT
    assert settings["mode"] == ("compiled in part" if partly else mode)


@pytest.mark.parametrize("workload", list(all_workloads()))
def test_two_references_agree(workload, references, tmp_path):
    """PyTorch and JAX, each with the formulas written out, agree in float64 to 1e-9 in every tensor of every step."""
    work, exact = references(workload)
    entry = next(one for one in able(work.workload) if one.implementation_name == "reference-jax")
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path, "float64")
    try:
        exact.supply(session)
        session.build(exact.start)
        if work.workload.inference is not None:
            deviations = list(compare_outputs(infer(session, tmp_path / "outputs"), exact.evaluation))
            assert [one.quantity for one in deviations] == ["samples", "outputs"]
        else:
            deviations = deviations_of_training(session, exact, tmp_path)
            check_all_are_compared(deviations, exact, wandering(work.workload.optimizer, exact.still))
    finally:
        session.process.close()
    assert max(deviations, key=lambda deviation: deviation.value).value < 1e-9


def deviations_of_training(session, exact, folder):
    """Every deviation of a session from a reference, in all steps and in the evaluation behind them.

    A parameter that is further off is held against where its own gradients lead, in float64 and with nothing allowed
    for: Adam makes e/|g| of the round-off e of a gradient g, however small that gradient is (proof/updates.py).
    """
    own = OwnUpdates(session.work, exact.start, exact.guide, exact.still)
    deviations = []
    for found in walk(session, folder / "walk", exact.guide):
        own.record(found)
        for one in compare_walked(session.work, found, exact.steps, None if exact.guide else exact.start):
            if one.quantity == "parameter" and one.value > 1e-9:
                way = exact.steps[found.step].ways[one.tensor]
                apart = relative(read_array(found.parameters, one.tensor), own.lead(one.tensor), way)
                one = replace(one, quantity="update", value=apart)
            deviations.append(one)
        shutil.rmtree(folder / "walk" / str(found.step))
    reply = session.evaluate(exact.evaluation.samples, folder / "evaluation")
    found = type(exact.evaluation)(reply["files"], reply["samples"], reply.get("correct"))
    return [*deviations, *compare_evaluations(found, exact.evaluation)]


def check_all_are_compared(deviations, exact, at_random):
    """In every step, all gradients are compared, and all trained parameters that are not moved at random."""
    trained = {name for name in exact.start if name in exact.steps[0].gradients}
    for step in range(len(exact.steps)):
        compared = [(one.quantity, one.tensor) for one in deviations if one.step == step]
        assert {name for quantity, name in compared if quantity == "gradient"} == trained
        moved = {name for quantity, name in compared if quantity in ("parameter", "update")}
        assert moved == trained - set(at_random)


def test_a_batch_is_partial_in_evaluation(references):
    """The proof's evaluation ends in a partial batch, or it could not see one being dropped."""
    _, exact = references("fashion-mlp")
    assert exact.evaluation.samples % BATCH


def processor_seconds(pid):
    """Processor time that a worker has used so far, all its threads and children."""
    tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in tree)


ON_CUDA = pytest.param("cuda", marks=pytest.mark.skipif(not shutil.which("nvidia-smi"), reason="no NVIDIA GPU here"))


@pytest.mark.parametrize("device", ["cpu", ON_CUDA])
@pytest.mark.parametrize("framework", [name for name in competing_frameworks() if not name.startswith("numpy")])
def test_synchronisation_waits(framework, device, references, tmp_path):
    """After `synchronize` a long computation is done: fetching its result costs next to nothing.

    Where a framework returns before it has computed (JAX, MXNet, everybody on a GPU), the wait is seen as well. Both
    are comparisons of one machine with itself within one second, an order of magnitude apart.
    """
    work, _ = references("fashion-mlp")
    work = replace(work, setting=replace(work.setting, device=device))
    entry = all_frameworks()[framework]
    try:
        session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path)
    except WorkerError as error:
        if device == "cpu":
            raise
        pytest.skip(f"{entry.locks[0]} computes on no GPU: {error.what}")
    try:
        wait = measure_wait(session)
        if wait.device != device == "cuda":
            pytest.skip(f"{entry.locks[0]} computes on no GPU: its model lies on {wait.device}")
        time.sleep(0.5)  # thread pools look for more work for a while before they sleep
        before = processor_seconds(session.process.pid)
        time.sleep(1.0)
        idle = processor_seconds(session.process.pid) - before
    finally:
        session.process.close()
    assert idle < 0.02, "a worker that is not asked anything must not compute"
    assert wait.holds, wait
    if device == "cuda" or framework in ("jax", "keras[jax]", "mxnet-gluon", "mxnet-module", "mlx"):
        assert wait.asynchronous, wait


@pytest.mark.slow
def test_either_reference_measures_the_same_noise(references, tmp_path):
    """Where PyTorch cannot be had, JAX makes the reference: its tolerances must be of the same size."""
    work, exact = references("fashion-mlp")
    other = reference(work, tmp_path, "reference-jax")
    for tensor in exact.start:
        for step in (0, 9):
            one = exact.tolerances.noise(Deviation("parameter", step, tensor, 0.0))
            two = other.tolerances.noise(Deviation("parameter", step, tensor, 0.0))
            assert 0.1 < one / two < 10, (tensor, step, one, two)
