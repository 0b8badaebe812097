"""rosetta export-run and rosetta repeat, from the command line."""

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from command_line import run_command
from drawn_run import SECONDS, request, write_drawn_run
from laboratory import data, data_folder, environment

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.roots import their_roots
from rosettabench.catalogue.workload import all_workloads
from rosettabench.places import cache_dir
from rosettabench.store.store import Store

THIRD_PARTY = Path(__file__).resolve().parents[1] / "third_party"


@pytest.fixture
def store(tmp_path):
    """The store that the commands use."""
    return Store(f"sqlite:///{tmp_path}/results.sqlite")


@pytest.fixture
def bundle(tmp_path, content):
    """The file of the drawn run's bundle."""
    path = tmp_path / "run.zip"
    path.write_bytes(content)
    return path


def test_export_and_check(rosetta, store, tmp_path):
    run = write_drawn_run(store)
    code, out, err = rosetta("export-run")
    assert code == 0, err
    path, digest = out.splitlines()
    assert path == f"rosetta-run-{run}.zip"
    assert digest == f"SHA-256: {sha256((tmp_path / path).read_bytes()).hexdigest()}"
    code, out, err = rosetta("repeat", "--check", path)
    assert code == 0, err
    assert "All verdicts follow from the blocks." in out
    assert "pytorch is faster than jax, 1.50×" in out
    code, out, _ = rosetta("repeat", "--check", "--json", path)
    assert code == 0
    assert json.loads(out) | {"sha256": ""} == {
        "format": 2, "bundle": run, "sha256": "", "rosettabench": "0.1.0", "verdicts": 3, "differences": []
    }  # fmt: skip
    rosetta("export-run", run[:10], "--output", "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / path).read_bytes()


@pytest.mark.parametrize(
    ("here", "code", "said"),
    [
        ({}, 0, "3 of 3 verdicts hold"),
        ({"jax": 4e-3}, 0, "3 of 3 verdicts hold"),
        ({"jax": 1e-3}, 11, "1 of 3 verdicts hold"),
    ],
)
def test_compare_with_a_stored_repetition(rosetta, store, bundle, here, code, said):
    run = write_drawn_run(store, seconds=SECONDS | here)
    found, out, err = rosetta("repeat", bundle, "--run", run)
    assert found == code, err
    assert said in out
    found, out, err = rosetta("repeat", bundle, "--run", run, "--json")
    assert found == code, err
    told = json.loads(out)
    assert told["repetition"] == run
    assert len(told["verdicts"]) == 3
    assert ("contradicted" in {one["holding"] for one in told["verdicts"]}) == (code == 11)


def test_a_stored_run_of_other_contests_is_no_repetition(rosetta, store, bundle):
    run = write_drawn_run(store, request(("pytorch", "jax")))
    code, _, err = rosetta("repeat", bundle, "--run", run)
    assert code == 2
    assert "has other contenders here" in err


def test_a_run_is_no_repetition_of_itself(rosetta, store, tmp_path):
    run = write_drawn_run(store)
    rosetta("export-run", "--output", "own.zip")
    code, _, err = rosetta("repeat", tmp_path / "own.zip", "--run", run)
    assert code == 2
    assert "not a repetition" in err


def test_a_bundle_that_decides_nothing_is_not_measured(rosetta, store):
    write_drawn_run(store, request(("pytorch",)))
    rosetta("export-run", "--output", "own.zip")
    code, _, err = rosetta("repeat", "own.zip")
    assert code == 9
    assert "states no verdict that could hold" in err


def test_other_data_are_refused_before_anything_is_measured(rosetta, store, bundle, monkeypatch):
    monkeypatch.setenv("ROSETTA_DATA", str(data_folder() or ""))
    code, _, err = rosetta("repeat", bundle, *(() if data_folder() else ("--offline",)))
    assert code == 4, err
    assert "are not those of the bundle" in err
    assert store.runs() == []


def test_check_or_run(rosetta, bundle):
    code, _, err = rosetta("repeat", bundle, "--check", "--run", "x")
    assert code == 2
    assert "Leave one of the two out" in err


@pytest.fixture
def start(tmp_path):
    """Run the command line in a process of its own, with the NumPy framework: start(words…) -> finished process."""
    environment("pytorch@2.13.0")

    def run(*words):
        variables = {
            "ROSETTA_CACHE": str(cache_dir()),
            "ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite",
            "ROSETTA_DATA": str(data_folder() or ""),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(THIRD_PARTY), os.environ.get("PYTHONPATH")])),
        }
        return run_command(words, os.environ | variables, tmp_path)

    return run


@pytest.fixture
def _numpy(monkeypatch):
    """Let the catalogue of this process have the NumPy framework, too."""
    caches = (their_roots, all_frameworks, all_workloads)
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    for cached in caches:
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()


@pytest.mark.slow
@pytest.mark.environment
def test_a_real_run_becomes_a_bundle(start, tmp_path):
    words = ("run", "fashion-mlp", "-f", f"numpy@{sys.executable}", "--rounds", "8", "--suite", "quick")
    done = start(*words, "--round-seconds", "0.3", "--set", "threads=1")
    assert done.returncode == 0, done.stderr
    assert start("export-run", "--output", "run.zip").returncode == 0
    checked = start("repeat", "--check", "run.zip")
    assert checked.returncode == 0, checked.stderr
    assert "All verdicts follow from the blocks." in checked.stdout
    assert str(Path(sys.executable).parent).encode() not in (tmp_path / "run.zip").read_bytes()


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.usefixtures("_numpy")
def test_a_bundle_is_measured_again(start, tmp_path):
    """The bundle's times are drawn, so that it has a verdict; the repetition is measured.

    It has several processes: a single one may be twice as fast as its equal for life.
    """
    twin = tmp_path / "twin"
    twin.symlink_to(sys.prefix)
    pythons = (sys.executable, f"{twin}/bin/python")
    store = Store(f"sqlite:///{tmp_path}/theirs.sqlite")
    stated = all_workloads()["fashion-mlp"].data
    asked = request(tuple(f"numpy@{python}" for python in pythons))
    quick = asked.stopping.model_copy(update={"rounds": (9, 9), "processes": 3, "round_seconds": 0.3})
    seconds = dict(zip((f"numpy@{python}" for python in pythons), (1e-3, 9e-3), strict=True))
    real = data(stated.set, json.dumps(stated.form)).digest
    write_drawn_run(store, asked.model_copy(update={"stopping": quick}), seconds=seconds, data=real)
    exported = start("export-run", "--store", f"sqlite:///{tmp_path}/theirs.sqlite", "--output", "run.zip")
    assert exported.returncode == 0, exported.stderr
    named = [
        word for number, python in enumerate(pythons, 1) for word in ("--python", f"path-{number}/python={python}")
    ]
    done = start("repeat", "run.zip", *named, "--json")
    assert done.returncode in (9, 11), done.stderr
    told = json.loads(done.stdout)
    (verdict,) = told["verdicts"]
    assert verdict["holding"] in ("contradicted", "undecided here"), "equal interpreters are not nine times apart"
    assert verdict["stated"]["faster"] == "numpy@path-1/python"
    ours = Store(f"sqlite:///{tmp_path}/results.sqlite")
    (run,) = ours.runs()
    assert run.id == told["repetition"]
    entries = ours.run(run.id).contests[0].entries
    assert {block.session for entry in entries for block in entry.blocks} == {1, 2, 3}
