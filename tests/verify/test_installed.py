"""Which managed release stands beside an installation: the same version whatever its build, or else the nearest."""

import sys
from pathlib import Path

import pytest

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.environments.lock import Lock
from rosettabench.verify import installed
from rosettabench.verify.installed import counterpart, is_debug_build, version_of

PYTORCH = all_frameworks()["pytorch"]


def test_the_same_version_whatever_its_build():
    for version in ("2.13.0", "2.13.0+cpu", "2.13.0+cu130", "2.13"):
        found = counterpart(PYTORCH, {"torch": version})
        assert (found.release, found.version, found.same) == ("2.13.0", "2.13.0", True)


@pytest.mark.parametrize("version", ["2.12.1", "1.0.1", "3.0.0.dev1", "unknown"])
def test_another_version_is_told(version):
    assert counterpart(PYTORCH, {"torch": version}).same is False


@pytest.mark.parametrize(
    ("version", "nearest"), [("2.13.0", "2.13.0"), ("2.12.9", "2.12.0"), ("2.1.2", "2.2.0"), ("1.3", "1.0.0")]
)
def test_of_several_the_nearest(monkeypatch, tmp_path, version, nearest):
    releases = ("1.0.0", "2.2.0", "2.12.0", "2.13.0")
    locks = {f"pytorch@{one}": Lock(f"pytorch@{one}", "", "3.11", (f"torch=={one}",), (), tmp_path) for one in releases}
    monkeypatch.setattr(installed, "all_locks", lambda: list(locks.values()))
    monkeypatch.setattr(installed, "load_lock", locks.get)
    entry = PYTORCH.model_copy(update={"locks": tuple(locks)})
    assert counterpart(entry, {"torch": version}).release == nearest


def test_an_interpreter_tells_whether_it_is_a_debug_build(tmp_path):
    assert is_debug_build(Path(sys.executable)) is hasattr(sys, "gettotalrefcount")
    counting = tmp_path / "python"
    counting.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -c "import sys; sys.gettotalrefcount = int; $1"\n')
    counting.chmod(0o700)
    assert is_debug_build(counting)


def test_no_lock_no_counterpart():
    entry = PYTORCH.model_copy(update={"locks": ("numpy@any",)})
    assert counterpart(entry, {"torch": "2.13.0"}) is None


def test_a_module_under_another_distribution():
    keras = replace_packages("keras[tensorflow]", ("tensorflow",))
    assert version_of(keras, {"tensorflow-cpu": "2.21.0"}) == "2.21.0"
    assert version_of(PYTORCH, {"numpy": "2.4.6"}) is None


def replace_packages(name, packages):
    """A framework whose main package is another."""
    return all_frameworks()[name].model_copy(update={"packages": packages})
