"""The worker's tests under this Python, and under the oldest interpreter that a framework's environment has."""

import subprocess
import sys
from pathlib import Path

import pytest
from laboratory import environment

CHECKS = Path(__file__).parent / "check_worker.py"


def run_checks(python):
    done = subprocess.run([str(python), str(CHECKS)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "OK" in done.stderr
    return done


def test_the_worker_under_this_python():
    run_checks(sys.executable)


@pytest.mark.slow
@pytest.mark.environment
def test_the_worker_under_the_oldest_python():
    where = environment("chainer@7.8.1")
    assert where.version.startswith("3.6."), "the point of this test is Python 3.6"
    run_checks(where.python)
