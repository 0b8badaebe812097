"""A run has one process at work on it, until that ends, however it ends."""

import subprocess
import sys

import pytest

from rosettabench.errors import UsageError
from rosettabench.lab.owner import own_run

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
        with own_run("run-2", tmp_path):
            pass
    finally:
        first.kill()
        first.communicate()
    for _ in range(2):
        with own_run("run-1", tmp_path):
            pass
