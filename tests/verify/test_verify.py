"""``rosetta verify`` on real installations: as it should be, slow, wrong, broken. What it reads of them, it says."""

import json
import os
import sys
from pathlib import Path

import pytest
from laboratory import data_folder
from tiers import slow
from venvs import ONE_THREAD, SLOW, WRONG, make_venv, plant, site_packages

pytestmark = pytest.mark.environment

SHORT = (
    "--set",
    "threads=1",
    "--margin",
    "1",
    "--rounds",
    "16",
    "--seconds",
    "60",
    "--round-seconds",
    "0.3",
    "--offline",
)
"""A margin of a factor of two: what is planted is far beyond it, and no noise decides the test."""

THIRD_PARTY = Path(__file__).resolve().parents[1] / "third_party"


@pytest.fixture
def variables():
    return {"ROSETTA_DATA": str(data_folder() or "")}


@pytest.fixture
def python(tmp_path):
    return make_venv(tmp_path / "venv")


def only(answer):
    [found] = answer["verifications"]
    return found


@pytest.mark.slow
def test_an_untouched_installation_is_right_and_a_slowed_one_is_found_with_what_was_read(
    python, rosetta, quiet, variables
):
    process = rosetta("verify", "--python", python, "--json", *SHORT, **variables)
    quiet()
    assert process.returncode == 0, process.stderr
    found = only(json.loads(process.stdout))
    assert found["standing"] == found["managed"]["standing"] == "as it should be"
    assert found["label"] == f"pytorch@{python}"
    assert found["counterpart"] == {"release": "2.13.0", "version": "2.13.0", "same": True}
    assert found["earlier"]["standing"] == "nothing to compare it with"
    assert found["causes"] == []
    assert found["roof"]["rate"] > 1e8
    assert found["roof"]["ceiling"] is None, "nothing else was measured"
    plant(python, SLOW)
    process = rosetta("verify", "--python", python, "--json", *SHORT, **variables)
    quiet()
    assert process.returncode == 8, process.stderr
    assert "slower than it should be: pytorch@" in process.stderr
    found = only(json.loads(process.stdout))
    assert found["standing"] == found["managed"]["standing"] == "slow"
    assert found["managed"]["interval"]["low"] > 1.5
    assert [cause["what"] for cause in found["causes"]] == [
        "its setting deterministic is yes, the managed release's no"
    ]
    assert found["runs"] == 1, "its own earlier run is compared with, too"
    assert found["past"]["verdict"]["interval"]["ratio"] > 1.5
    assert found["past"]["controls"] == ["pytorch:eager"]
    assert {"what": "setting deterministic", "before": "no", "after": "yes"} in found["past"]["changes"]


@pytest.mark.slow
def test_one_thread_is_read_whatever_it_costs(python, rosetta, variables, all_processors):
    plant(python, ONE_THREAD)
    words = ("verify", "--python", python, "--set", "threads=2", "--rounds", "8", "--round-seconds", "0.1", "--offline")
    process = rosetta(*words, **variables)
    assert process.returncode in (0, 8, 9), process.stderr
    assert "it computes with one thread where 2 are allowed." in process.stdout


@pytest.mark.slow
def test_a_failed_proof_is_the_first_news(python, rosetta, variables):
    plant(python, WRONG)
    process = rosetta("verify", "--python", python, *SHORT, **variables)
    assert process.returncode == 5, process.stderr
    assert "does not do equal work: proof failed" in process.stdout
    assert "per step" not in process.stdout


@pytest.mark.slow
def test_what_cannot_be_imported_cannot_be_measured(python, rosetta, variables):
    broken = site_packages(python.parent.parent) / "torch"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('libcudart.so.13: cannot open shared object file')\n")
    process = rosetta("verify", "--python", python, *SHORT, **variables)
    assert process.returncode == 7, process.stderr
    assert "libcudart.so.13" in process.stdout


@pytest.mark.slow
def test_without_a_managed_release_only_the_past_can_tell(rosetta, quiet, variables):
    path = os.pathsep.join(filter(None, [str(THIRD_PARTY), os.environ.get("PYTHONPATH")]))
    words = ("verify", "-f", "numpy", "--python", sys.executable, *SHORT)
    first = rosetta(*words, PYTHONPATH=path, **variables)
    assert first.returncode == 9, first.stderr
    assert "nothing to compare it with" in first.stdout
    assert "no managed release" in first.stdout
    second = rosetta(*words, PYTHONPATH=path, **variables)
    quiet()
    assert second.returncode == 9, second.stderr
    assert "Beside 1 earlier run here, by itself" in second.stdout
    assert "a slower machine and a slower contender look the same" in second.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--python", sys.executable), 3, "has none of the frameworks that implement fashion-mlp"),
        slow(("--python", sys.executable, "-f", "pytorch"), 3, "has no torch, which pytorch needs"),
        slow(("--python", "/nowhere/python"), 3, "there is no /nowhere/python"),
        slow(("--python", sys.executable, "-f", "pytorch@2.13.0"), 2, "names a release and --python an interpreter"),
        slow(("--python", sys.executable, "-f", "pytroch"), 2, "pytorch"),
        slow(("fashion-mpl",), 2, "fashion-mlp"),
        (("--python", sys.executable, "--set", "thraeds=1"), 2, "threads"),
    ],
)
def test_bad_input(rosetta, words, code, said):
    process = rosetta("verify", *words)
    assert process.returncode == code, process.stderr
    assert said in process.stderr
    assert process.stdout == ""
