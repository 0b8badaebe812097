"""What a certificate is bound to: everything that is imported, and nothing of anybody else."""

import pytest

from rosettabench.catalogue.framework import all_frameworks, competing_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.proof import certificate, meaning
from rosettabench.proof.certificate import files_of
from rosettabench.proof.sources import imported_names, sources

MLP = find_workload("fashion-mlp")


def names(framework, workload=MLP):
    entry = all_frameworks()[framework]
    files = sources([entry.path, workload.implementation(entry.implementation_name)])
    return {str(file.relative_to(worker_folder())) for file in files}


def test_imports_in_all_their_forms():
    source = """
import numpy, rosetta_worker.clock
from rosetta_worker import PROTOCOL
from rosetta_worker.layers import keras as k
def later():
    if True:
        from rosetta_worker.tensors import Tie
from . import nobody
from rosetta_workers.other import x
"""
    assert imported_names(source) == {
        "rosetta_worker",
        "rosetta_worker.PROTOCOL",
        "rosetta_worker.clock",
        "rosetta_worker.layers",
        "rosetta_worker.layers.keras",
        "rosetta_worker.tensors",
        "rosetta_worker.tensors.Tie",
    }


def test_what_is_imported_is_there_and_others_are_not():
    chainer = names("chainer")
    assert {"__init__.py", "framework.py", "tensors.py", "frameworks/chainer.py", "optimizers/chainer.py"} <= chainer
    assert not any("pytorch" in name or "keras" in name for name in chainer)
    assert {"runtimes/keras.py", "loaders/rows.py"} <= names("keras[tensorflow]")  # directly, and through another


def test_every_import_of_the_worker_is_of_a_file():
    """A module that was not found would be missing in every certificate."""
    root = worker_folder()
    for file in root.rglob("*.py"):
        for name in imported_names(file.read_text(encoding="utf-8")):
            parts = name.split(".")[1:]
            there = [root.joinpath(*parts), root.joinpath(*parts[:-1])] if parts else [root]
            assert any(one.with_suffix(".py").is_file() or (one / "__init__.py").is_file() for one in there), name


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        ("optimizers/chainer.py", {"chainer": {"worker"}}),
        ("frameworks/chainer.py", {"chainer": {"worker", "adapter"}}),
        ("loop.py", {"chainer": {"worker"}, "pytorch": {"worker"}}),
        ("frameworks/reference_jax.py", {"chainer": {"reference"}, "pytorch": {"reference"}}),
        ("workloads/fashion_mlp/pytorch.py", {"pytorch": {"implementation", "worker"}}),
    ],
)
def test_a_change_touches_whom_it_concerns(monkeypatch, changed, touched):
    before = {name: files_of(MLP, competing_frameworks()[name]) for name in ("chainer", "pytorch")}
    file_digest = meaning.file_digest
    there = worker_folder() / changed
    assert there.is_file()
    for module in (certificate, meaning):
        monkeypatch.setattr(module, "file_digest", lambda path: "changed" if path == there else file_digest(path))
    for name, files in before.items():
        now = files_of(MLP, competing_frameworks()[name])
        assert {key for key in files if files[key] != now[key]} == touched.get(name, set()), name


def test_words_and_absent_frameworks_change_nothing_and_values_do():
    entry = competing_frameworks()["pytorch"]
    files = files_of(MLP, entry)
    assert files_of(MLP.model_copy(update={"title": "other", "absent": {"cntk": "why"}}), entry) == files
    optimizer = MLP.optimizer.model_copy(update={"learning_rate": 0.5})
    assert files_of(MLP.model_copy(update={"optimizer": optimizer}), entry)["workload"] != files["workload"]


def test_every_cell_has_its_files():
    for workload in all_workloads().values():
        for entry in competing_frameworks().values():
            assert (files_of(workload, entry) is None) == (workload.implementation(entry.implementation_name) is None)
