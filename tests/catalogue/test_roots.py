"""A package of somebody else's adds a framework and a workload by an entry point, and nothing of it is imported."""

import shutil
import subprocess
import sys

import pytest

from rosettabench.catalogue import roots
from rosettabench.catalogue.contract import missing
from rosettabench.catalogue.framework import all_frameworks, contestants
from rosettabench.catalogue.roots import catalogue_roots, worker_folder
from rosettabench.catalogue.workload import all_workloads

TENSORS = """
title = "Theirs"
study = "none"
summary = "A workload from another package."
data = {set = "fashion-mnist", form = {shape = [784]}}
loss = {name = "softmax cross-entropy"}
optimizer = {name = "adam", learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8}
training = {batch_size = 8, epochs = 1}
metric = {name = "accuracy"}
tensors = [{name = "kernel", shape = [10, 784], init = "zeros"}]
"""


@pytest.fixture
def theirs(tmp_path):
    """Install a package with a framework, a workload, and ours written in their framework; return its folder."""
    site, package = tmp_path / "site", tmp_path / "site" / "their_package"
    (package / "frameworks").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('the catalogue imports nobody')\n")
    adapter = (worker_folder() / "frameworks" / "pytorch.py").read_text(encoding="utf-8")
    (package / "frameworks" / "their_framework.py").write_text(adapter.replace('"PyTorch"', '"Theirs"', 1))
    for name in ("their_workload", "fashion_mlp"):
        (package / "workloads" / name).mkdir(parents=True)
    (package / "workloads" / "their_workload" / "workload.toml").write_text(TENSORS)
    ours = worker_folder() / "workloads" / "fashion_mlp" / "pytorch.py"
    shutil.copy(ours, package / "workloads" / "fashion_mlp" / "their_framework.py")
    metadata = site / "their_distribution-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-distribution\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[rosettabench.catalogue]\ntheirs = their_package\n")
    return package


@pytest.fixture
def installed(theirs, monkeypatch):
    """Put it on the path of this process, and forget what was read before and, afterwards, what was read with it."""
    caches = (catalogue_roots, all_frameworks, all_workloads)
    monkeypatch.syspath_prepend(theirs.parent)
    for cached in caches:
        cached.cache_clear()
    yield theirs
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()


def test_it_is_a_root_behind_ours(installed):
    assert catalogue_roots() == (worker_folder(), installed)
    assert "their_package" not in sys.modules


def test_its_framework_and_its_workload_are_in_the_catalogue(installed):
    assert contestants()["their-framework"].title == "Theirs"
    assert contestants()["pytorch"].title == "PyTorch", "ours is still there"
    assert all_workloads()["their-workload"].parameters == 7840


def test_its_implementation_of_our_workload_is_found(installed):
    ours, theirs = all_workloads()["fashion-mlp"], all_workloads()["their-workload"]
    assert ours.implementation("their-framework") == installed / "workloads" / "fashion_mlp" / "their_framework.py"
    assert missing([contestants()["their-framework"]], [ours]) == []
    assert missing([contestants()["their-framework"]], [theirs]) == [
        f"{theirs.folder / 'their_framework.py'} is missing: their-workload is not written in their-framework"
    ]


def test_the_command_line_lists_it(theirs, tmp_path):
    import os

    variables = os.environ | {"ROSETTA_CACHE": str(tmp_path / "cache")}
    variables["PYTHONPATH"] = os.pathsep.join([str(theirs.parent), variables.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "rosettabench.cli", "list", "workloads"]
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    rows = {line.split()[0]: line for line in process.stdout.splitlines() if line.strip()}
    assert "their-framework" in rows["fashion-mlp"]
    assert "Theirs" in rows["their-workload"]


def test_an_entry_point_to_nothing_is_passed_over(theirs, installed):
    shutil.rmtree(theirs)
    roots.catalogue_roots.cache_clear()
    assert catalogue_roots() == (worker_folder(),)
