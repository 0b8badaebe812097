"""A package of somebody else's adds a framework and a workload by an entry point, and nothing of it is imported."""

import os
import shutil
import sys
import warnings

import pytest
from command_line import run_command

from rosettabench.catalogue.contract import missing
from rosettabench.catalogue.framework import all_frameworks, competing_frameworks
from rosettabench.catalogue.roots import PassedOver, catalogue_roots, their_roots, worker_folder
from rosettabench.catalogue.workload import all_workloads
from rosettabench.environments.lock import all_locks

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
    caches = (their_roots, all_frameworks, all_workloads)
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
    assert competing_frameworks()["their-framework"].title == "Theirs"
    assert competing_frameworks()["pytorch"].title == "PyTorch", "ours is still there"
    assert all_workloads()["their-workload"].parameters == 7840


def test_its_implementation_of_our_workload_is_found(installed):
    ours, theirs = all_workloads()["fashion-mlp"], all_workloads()["their-workload"]
    assert ours.implementation("their-framework") == installed / "workloads" / "fashion_mlp" / "their_framework.py"
    assert missing([competing_frameworks()["their-framework"]], [ours]) == []
    assert missing([competing_frameworks()["their-framework"]], [theirs]) == [
        f"{theirs.folder / 'their_framework.py'} is missing: their-workload is not written in their-framework"
    ]


def list_all(theirs, tmp_path):
    """Run ``rosetta list`` beside their package."""
    variables = os.environ | {"ROSETTA_CACHE": str(tmp_path / "cache")}
    variables["PYTHONPATH"] = os.pathsep.join([str(theirs.parent), variables.get("PYTHONPATH", "")])
    return run_command(["list"], variables)


def test_the_command_line_lists_it(theirs, tmp_path):
    process = list_all(theirs, tmp_path)
    rows = {line.split()[0]: line for line in process.stdout.splitlines() if line.strip()}
    ours = sum(entry.does(all_workloads()["fashion-mlp"]) for entry in competing_frameworks().values())
    assert "Theirs" in rows["their-framework"]
    assert rows["fashion-mlp"].split()[-1] == str(ours + 1), "theirs implements it, too"
    assert "Theirs" in rows["their-workload"]


def test_an_entry_point_to_nothing_is_passed_over(theirs, installed):
    shutil.rmtree(theirs)
    their_roots.cache_clear()
    assert catalogue_roots() == (worker_folder(),)


def their_adapter(package):
    """The file of their framework."""
    return package / "frameworks" / "their_framework.py"


def another(package, kind, name, text):
    """Add a file to their package."""
    path = package / kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


BROKEN = {
    "no Python": ("frameworks", "broken.py", "def :"),
    "no text": ("frameworks", "broken.py", b"\xff\xfe\x00"),
    "no description": ("frameworks", "broken.py", "import torch\n"),
    "a description that is no literal": ("frameworks", "broken.py", "DESCRIPTION = dict(title=torch)\n"),
    "a description with other keys": ("frameworks", "broken.py", "DESCRIPTION = {'title': 'X', 'colour': 1}\n"),
    "back ends that are none": ("frameworks", "broken.py", "DESCRIPTION = {'title': 'X', 'backends': 7}\n"),
    "brackets without end": ("frameworks", "broken.py", "DESCRIPTION = " + "[" * 5000),
    "no TOML": ("workloads", "broken/workload.toml", "title = "),
    "an empty statement": ("workloads", "broken/workload.toml", ""),
    "another's tensors": ("workloads", "broken/workload.toml", TENSORS.replace("[10, 784]", "[10, -784]")),
    "a framework of ours": ("frameworks", "jax.py", "DESCRIPTION = {}\n"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_passed_over_with_its_package_and_the_rest_is_there(installed, what):
    another(installed, *BROKEN[what])
    with pytest.warns(PassedOver, match="their-distribution is skipped: "):
        found = {*all_frameworks(), *all_workloads()}
    assert {"their-framework", "their-workload", "jax", "fashion-mlp"} <= found
    assert not {"broken"} & found


def test_a_name_of_ours_stays_ours(installed):
    adapter = their_adapter(installed).read_text(encoding="utf-8")
    another(installed, "frameworks", "jax.py", adapter)
    another(installed, "workloads", "fashion_mlp/workload.toml", TENSORS)
    with pytest.warns(PassedOver, match="there is a framework jax already"):
        assert all_frameworks()["jax"].path.is_relative_to(worker_folder())
    with pytest.warns(PassedOver, match="there is a workload fashion-mlp already"):
        assert all_workloads()["fashion-mlp"].folder.is_relative_to(worker_folder())


def test_a_lock_that_is_none_is_passed_over(installed):
    another(installed, "locks", "theirs@1.0-py3.11.txt", "# python: 3.11\nnumpy>=1\n")
    with pytest.warns(PassedOver, match="'numpy>=1' is not an exact version"):
        assert "jax@0.10.2" in {lock.name for lock in all_locks()}


@pytest.mark.parametrize("value", ["their package", "..", "!", "1x:y"])
def test_an_entry_point_that_names_no_package_is_skipped(theirs, installed, value):
    points = theirs.parent / "their_distribution-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[rosettabench.catalogue]\ntheirs = {value}\n")
    their_roots.cache_clear()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert catalogue_roots() == (worker_folder(),)
    assert all("their-distribution is skipped" in str(one.message) for one in told)


def test_the_command_line_warns_once_and_goes_on(theirs, tmp_path):
    their_adapter(theirs).write_text("def :")
    process = list_all(theirs, tmp_path)
    assert process.returncode == 0
    assert "their-workload" in process.stdout
    (line,) = process.stderr.splitlines()
    assert line.startswith("warning: a part of the installed package their-distribution is skipped: ")
    assert "their_framework.py, line 1, is not Python" in line


def test_a_package_within_another_is_found_and_neither_is_imported(theirs, installed):
    inner = theirs / "inner"
    inner.mkdir()
    (theirs / "frameworks").rename(inner / "frameworks")
    points = theirs.parent / "their_distribution-1.0.dist-info" / "entry_points.txt"
    points.write_text("[rosettabench.catalogue]\ntheirs = their_package.inner\n")
    their_roots.cache_clear()
    assert catalogue_roots() == (worker_folder(), inner)
    assert "their_package" not in sys.modules
