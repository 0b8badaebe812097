"""``rosetta show --format ipynb``: a notebook runs in its environment and reaches the losses of a worker."""

import json
import os
import re
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment, make_work, open_session
from tiers import slow

from rosettabench.catalogue.implementation import implementations
from rosettabench.catalogue.workload import find_workload
from rosettabench.cli.notebooks import STEPS, places_of, write_notebooks

WORKLOAD = find_workload("fashion-mlp")
RUNNER = Path(__file__).with_name("run_notebook.py")
ROUND_OFF = 1e-5
"""Relative; after 20 steps, from sums that other threads add up in another order."""


@pytest.fixture
def work(tmp_path):
    """What a worker would train with."""
    return make_work(WORKLOAD, tmp_path / "work", WORKLOAD.batch_size, STEPS)


def written(work, framework, folder):
    """Write the notebook of a framework; return its path, and all that was written."""
    columns = implementations(WORKLOAD, [framework])
    places = places_of(WORKLOAD, columns, folder)
    paths = list(write_notebooks(WORKLOAD, columns, places, work.data))
    return places[framework], paths


def cells_of(path, kind):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


@pytest.mark.environment
@pytest.mark.parametrize(
    "framework",
    ["pytorch", *map(slow, ["jax", "tensorflow", "keras[tensorflow]", "mxnet-gluon", "chainer", "lasagne"])],
)
def test_a_notebook_reaches_the_losses_of_a_worker(work, framework, tmp_path):
    [one] = implementations(WORKLOAD, [framework]).values()
    where = environment(one.lock)
    session = open_session(one.framework, one.framework.mode, where, work, tmp_path / "session")
    try:
        expected = [session.train(step, 1).loss for step in range(STEPS)]
    finally:
        session.process.close()
    path, _ = written(work, framework, tmp_path / "notebooks")
    command = [where.python, RUNNER, path.name, tmp_path / "losses.json"]
    done = subprocess.run(
        command, cwd=path.parent, env={**os.environ, **where.variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    losses = json.loads((tmp_path / "losses.json").read_text())
    np.testing.assert_allclose(losses, expected, rtol=ROUND_OFF)
    assert losses[-1] < losses[0] / 2, "it has trained"


def test_what_lies_beside_a_notebook(work, tmp_path):
    path, paths = written(work, "keras[jax]", tmp_path / "notebooks")
    assert [one.name for one in paths] == ["fashion-mlp.npz", "rosetta_worker.zip", "fashion-mlp-keras-jax.ipynb"]
    assert sorted(one.name for one in path.parent.iterdir()) == sorted(one.name for one in paths)
    with np.load(paths[0]) as arrays:
        rows = np.load(work.batches)
        assert arrays["batches"].shape == rows.shape == (STEPS, WORKLOAD.batch_size)
        inputs = np.load(work.data.train.inputs, mmap_mode="r")
        np.testing.assert_array_equal(arrays["inputs"][arrays["batches"]], inputs[rows])
        np.testing.assert_array_equal(arrays["weights/hidden.kernel"], np.load(work.weights["hidden.kernel"]))
    with zipfile.ZipFile(paths[1]) as archive:
        names = archive.namelist()
    assert {"rosetta_worker/tensors.py", "rosetta_worker/layers/keras.py"} <= {*names}
    assert not any("/workloads/" in name or "/frameworks/" in name for name in names)


def test_the_same_contents_make_the_same_archive(work, tmp_path):
    (_, first), (_, second) = (written(work, "pytorch", tmp_path / name) for name in ("one", "two"))
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_a_notebook_is_as_the_format_wants_it(work, tmp_path):
    path, _ = written(work, "keras[jax]", tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len({*ids}) == len(ids) and all(re.fullmatch(r"[\w-]{1,64}", one) for one in ids)
    for cell in notebook["cells"]:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == {"cell_type", "id", "metadata", "source"} | code


def test_a_notebook_says_what_it_is_and_needs(work, tmp_path):
    path, _ = written(replace(work, data=replace(work.data, note="made up")), "keras[jax]", tmp_path)
    introduction, *_ = cells_of(path, "markdown")
    assert WORKLOAD.summary in introduction and "made up" in introduction
    assert "`rosetta env make keras-jax@3.15.1`" in introduction
    code = cells_of(path, "code")
    assert 'os.environ["KERAS_BACKEND"] = "jax"' in code[0]
    assert any(cell.startswith("class Model(keras.Model):") for cell in code)
    assert any(cell.startswith("class Adapter(Framework):") and "def train(" in cell for cell in code)


def test_without_a_choice_all_that_are_in_python(rosetta, tmp_path):
    process = rosetta("show", "fashion-mlp", "--format", "ipynb", "--offline", "--output", tmp_path)
    assert process.returncode == 0, process.stderr
    names = {path.name for path in tmp_path.glob("*.ipynb")}
    assert {"fashion-mlp-keras-jax.ipynb", "fashion-mlp-keras-torch.ipynb", "fashion-mlp-cntk.ipynb"} <= names
    assert not any("r-keras" in name for name in names)
