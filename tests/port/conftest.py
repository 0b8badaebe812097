"""The command line, started in a folder of its own."""

import os
import subprocess
import sys

import pytest
from laboratory import environment

from rosettabench.places import cache_dir


@pytest.fixture
def rosetta(tmp_path):
    """Run ``rosetta`` with some arguments in `tmp_path`; return (exit code, output, errors)."""
    environment("pytorch@2.13.0")

    def run(*words):
        variables = {"ROSETTA_CACHE": str(cache_dir()), "ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite"}
        command = [sys.executable, "-m", "rosettabench.cli", *words]
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run
