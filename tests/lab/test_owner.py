"""A run has one process at work on it, until that ends, however it ends."""

import subprocess
import sys

import pytest

from rosettabench.client.machine import describe_machine
from rosettabench.errors import UsageError
from rosettabench.lab.owner import at_work, own_run, owner_of
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now

HOLD = """
import sys, time
from pathlib import Path
from rosettabench.lab.owner import own_run

with own_run("run-1", Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_second_is_told_who_is_at_work_and_a_killed_one_lets_go(tmp_path):
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == "held\n"
        with (
            pytest.raises(UsageError, match=f"process {first.pid} is at work on run run-1"),
            own_run("run-1", tmp_path),
        ):
            pass
        assert owner_of("run-1", tmp_path) == f"process {first.pid}"
        assert owner_of("run-2", tmp_path) is None
        with own_run("run-2", tmp_path):
            pass
    finally:
        first.kill()
        first.communicate()
    for _ in range(2):
        with own_run("run-1", tmp_path):
            pass
    assert owner_of("run-1", tmp_path) is None


@pytest.mark.parametrize("other", [{"processor": "Another 9000"}, {"memory_bytes": 1}])
def test_a_run_in_a_shared_store_goes_on_only_on_its_machine(tmp_path, database, other):
    for store, is_refused in ((Store(database), True), (Store(str(tmp_path / "own.sqlite")), False)):
        facts = {"at": now(), "version": "0", "command": ["rosetta", "run"], "request": {}}
        store.add(Run(id="here", machine=describe_machine(), **facts))
        store.add(Run(id="there", machine=describe_machine() | other, **facts))
        with at_work(store, store.run("here"), tmp_path, print):
            pass
        if is_refused:
            with (
                pytest.raises(UsageError, match="began on another machine") as told,
                at_work(store, store.run("there"), tmp_path, print),
            ):
                pass
            assert "rosetta run" in told.value.hint
