"""``rosetta list`` says what there is."""

import json

import pytest
from rows import begin_run

from rosettabench.catalogue.framework import competing_frameworks, find_framework
from rosettabench.catalogue.suite import all_suites
from rosettabench.catalogue.workload import all_workloads
from rosettabench.cli.completion import KINDS
from rosettabench.environments.environment import RECORD, Environments
from rosettabench.environments.lock import all_locks, load_lock
from rosettabench.store.store import Store


def row(output, name):
    """Return the line of a table whose first cell is `name`."""
    return next(line for line in output.splitlines() if line.split()[:1] == [name])


def test_everything_but_runs(rosetta):
    output = rosetta("list").stdout
    for name in [*all_workloads(), *competing_frameworks(), *all_suites(), *(lock.name for lock in all_locks())]:
        assert row(output, name)
    assert "Runs" not in output


def test_square_brackets_of_a_name_are_kept(rosetta):
    assert "Keras on TensorFlow" in row(rosetta("list", "frameworks").stdout, "keras[tensorflow]")


@pytest.mark.parametrize("kind", KINDS)
def test_one_kind(rosetta, kind):
    process = rosetta("list", kind)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines()[0].strip() == kind.capitalize()


def test_what_is_installed(rosetta, tmp_path):
    lock = load_lock(find_framework("pytorch").locks[0])
    assert row(rosetta("list", "frameworks").stdout, "pytorch").split()[-1] == "no"
    place = Environments(tmp_path / "cache" / "environments").place(lock)
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").touch()
    (place / RECORD).write_text(json.dumps({"version": lock.python, "packages": {}, "bytes": 0}))
    assert row(rosetta("list", "frameworks").stdout, "pytorch").split()[-1] == "yes"
    assert row(rosetta("list", "environments").stdout, lock.name).split()[-1] == "yes"


def test_runs_newest_first_and_a_store_is_not_made_by_looking(rosetta, tmp_path):
    assert "none yet" in rosetta("list", "runs").stdout
    assert not (tmp_path / "results.sqlite").exists()
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    for name in ("first", "second"):
        begin_run(store, name, command=["rosetta", "run", "a b"])
    output = rosetta("list", "runs").stdout
    assert output.index("second") < output.index("first")
    assert "rosetta run 'a b'" in output, "it can be pasted into a shell"
    elsewhere = rosetta("list", "runs", "--store", f"sqlite:///{tmp_path / 'other.sqlite'}").stdout
    assert "none yet" in elsewhere
