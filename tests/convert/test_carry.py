"""Through the ties and back: every cell of the catalogue whose environment is made returns the same bits."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment

import rosetta_worker
from rosettabench.catalogue.contender import Contender, parse_contender
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.convert.carry import PROGRAM, TiedCell, check_tied, read_canonical, run_ties, write_own
from rosettabench.environments.environment import Environments
from rosettabench.environments.lock import load_lock
from rosettabench.errors import DataError, UsageError, WorkerError
from rosettabench.places import cache_dir
from rosettabench.plan.plan import why_missing
from rosettabench.proof.weights import draw, draw_weights

sys.path.insert(0, str(Path(__file__).parents[1] / "port"))
from folders import new_folder

FROM = "pytorch"
TIMEOUT = 300.0
DRAWN = "uniform_0.5_1.5"
"""How every tensor is drawn here: no two numbers are alike, so none can stand in another's place unseen."""


def cells():
    """Return (workload, framework, lock) of every cell that Python can evaluate, in each release."""
    return [
        (workload.name, name, lock)
        for workload in all_workloads().values()
        for name, entry in competing_frameworks().items()
        for lock in entry.locks
        if entry.program is None
        and entry.exported is None
        and why_missing(workload, Contender(name, entry.mode, lock)) is None
    ]


def cell_of(workload, framework, lock=None):
    contender = Contender(
        framework, competing_frameworks()[framework].mode, lock or competing_frameworks()[framework].locks[0]
    )
    return TiedCell(find_workload(workload), contender, environment(contender.lock))


@cache
def drawn(workload):
    return {
        tensor.name: draw(tensor.model_copy(update={"init": DRAWN}), 0) for tensor in find_workload(workload).tensors
    }


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape, name
        assert found[name].tobytes() == array.tobytes(), name


def there_and_back(cell, canonical, folder):
    """The framework's own tensors of canonical ones, and what they return to: the same, which is asserted."""
    own = run_ties(cell, "to_own", canonical, folder / "there", TIMEOUT)
    assert own.changed == []
    assert {name: array.shape for name, array in own.tensors.items()} == own.layout
    back = run_ties(cell, "to_canonical", own.tensors, folder / "back", TIMEOUT)
    assert back.changed == []
    assert_same(back.tensors, canonical)
    return own.tensors, back.tensors


@pytest.fixture(scope="session")
def from_pytorch(tmp_path_factory):
    """From a workload's name to the canonical tensors that a file of PyTorch becomes, each carried once."""

    @cache
    def get(workload):
        if not competing_frameworks()[FROM].does(find_workload(workload)):  # then as they were drawn
            return drawn(workload)
        _, canonical = there_and_back(cell_of(workload, FROM), drawn(workload), tmp_path_factory.mktemp("first"))
        return canonical

    return get


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize(("workload", "framework", "lock"), cells())
def test_every_cell_returns_the_same_bits(workload, framework, lock, tmp_path, from_pytorch):
    """From PyTorch to the framework and back: the canonical tensors are the same, and so PyTorch's own."""
    if Environments(cache_dir() / "environments").find(load_lock(lock)) is None:
        pytest.skip(f"rosetta env make {lock}")
    canonical = from_pytorch(workload)
    own, _ = there_and_back(cell_of(workload, framework, lock), canonical, tmp_path)
    values = [np.concatenate([array.ravel() for array in side.values()]) for side in (own, canonical)]
    np.testing.assert_array_equal(*map(np.sort, values), "no number is lost, and none is made")


@pytest.mark.environment
def test_layouts_are_the_frameworks_own(tmp_path):
    canonical = drawn("fashion-cnn")
    torch, jax = (
        write_own(cell_of("fashion-cnn", name), canonical, tmp_path / name, TIMEOUT) for name in (FROM, "jax")
    )
    np.testing.assert_array_equal(torch["conv1.weight"].transpose(2, 3, 1, 0), jax["conv1.kernel"])
    of_images = torch["output.weight"].reshape(10, 32, 24, 24).transpose(2, 3, 1, 0).reshape(-1, 10)
    np.testing.assert_array_equal(of_images, jax["output.kernel"])
    assert all(array.flags.c_contiguous for array in jax.values())


@pytest.mark.slow
@pytest.mark.environment
def test_what_a_state_dict_has_besides(tmp_path):
    carried = run_ties(cell_of("imdb-lstm", FROM), "to_canonical", {}, tmp_path / "lstm", TIMEOUT)
    assert carried.tensors is None
    assert list(carried.beside) == ["lstm.bias_hh_l0"] and not carried.beside["lstm.bias_hh_l0"].any()
    carried = run_ties(cell_of("cifar-resnet56", FROM), "to_canonical", {}, tmp_path / "resnet", TIMEOUT)
    assert len(carried.beside) == 55 and all(name.endswith(".num_batches_tracked") for name in carried.beside)


@pytest.mark.slow
@pytest.mark.environment
def test_a_tied_weight_has_two_names_and_may_be_there_once(tmp_path):
    workload = new_folder(tmp_path / "my-gpt", "gpt")
    cell = TiedCell(workload, parse_contender(FROM), environment("pytorch@2.13.0"))
    canonical = draw_weights(workload, 0)
    own = write_own(cell, canonical, tmp_path / "own", TIMEOUT)
    known = run_ties(cell, "to_own", canonical, tmp_path / "known", TIMEOUT)
    assert list(known.beside) == []
    [(second, first)] = known.same.items()
    np.testing.assert_array_equal(own[second], own[first])
    for number, lost in enumerate([None, second, first]):
        given = {name: array for name, array in own.items() if name != lost}
        found, _ = read_canonical(cell, tmp_path / "gpt.npz", given, tmp_path / str(number), TIMEOUT)
        assert_same(found, canonical)
    with pytest.raises(DataError, match="would be lost"):
        read_canonical(cell, tmp_path / "gpt.npz", {**own, second: own[second] + 1}, tmp_path / "other", TIMEOUT)


TIES = """
from rosetta_worker.tensors import Tie, Transform


class rounded(Transform):
    def forward(self, arrays):
        return [array.round(1) for array in arrays]

    backward = forward


TENSORS = [Tie("a", "own/a"), Tie("b", "own.b", rounded())]
"""


def evaluate(folder, tensors, direction="to_own"):
    """What the worker's program answers, run by this Python on ties that are written here."""
    (folder / "adapter.py").write_text("")
    (folder / "ties.py").write_text(TIES)
    for name, array in tensors.items():
        np.save(folder / f"{name}.npy", array)
    files = {"own/a" if direction == "to_canonical" and name == "a" else name: f"{name}.npy" for name in tensors}
    (folder / "request.json").write_text(json.dumps({"shapes": {"a": [2, 1], "b": [3]}, "tensors": files}))
    program = next(iter(rosetta_worker.__path__)) + "/" + PROGRAM
    command = [sys.executable, program, folder / "adapter.py", folder / "ties.py", direction, folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text())


def test_ties_that_do_not_lead_back_are_named(tmp_path):
    exact, lossy = np.ones((2, 1), np.float32), np.full(3, 0.25, np.float32)
    answer = evaluate(tmp_path, {"a": exact, "b": lossy})
    assert answer["layout"] == {"own/a": [2, 1], "own.b": [3]}
    assert answer["changed"] == ["b"]
    np.testing.assert_array_equal(np.load(tmp_path / answer["tensors"]["own/a"]), exact)


@pytest.mark.parametrize("shape", [(1, 2), (2,), (3, 1)])
def test_what_does_not_fit_is_not_carried(tmp_path, shape):
    answer = evaluate(tmp_path, {"a": np.ones(shape, np.float32)}, "to_canonical")
    assert answer["tensors"] is None and answer["layout"]["own/a"] == [2, 1]


def test_a_framework_in_r_and_one_without_an_implementation():
    with pytest.raises(UsageError, match="in r-keras are written in R"):
        check_tied(find_workload("fashion-mlp"), parse_contender("r-keras"))
    with pytest.raises(UsageError, match="chainer has no implementation of deepar-monash"):
        check_tied(find_workload("deepar-monash"), parse_contender("chainer"))


@pytest.mark.environment
def test_ties_that_cannot_be_evaluated_are_a_sentence(tmp_path, monkeypatch):
    cell = cell_of("fashion-mlp", FROM)
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    monkeypatch.setattr(type(cell.workload), "implementation", lambda *_: tmp_path / "broken.py")
    with pytest.raises(WorkerError, match=r"ties of fashion-mlp in pytorch cannot be evaluated: .*no_such_module"):
        run_ties(cell, "to_own", {}, tmp_path / "files", TIMEOUT)
