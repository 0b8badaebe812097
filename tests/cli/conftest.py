"""The command line as users have it: a process of its own, with a cache, a store and a home of its own."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def variables(tmp_path):
    """Environment variables that keep a process away from the user's own files."""
    own = {
        "HOME": str(tmp_path / "home"),
        "ROSETTA_CACHE": str(tmp_path / "cache"),
        "ROSETTA_STORE": f"sqlite:///{tmp_path / 'results.sqlite'}",
        "COLUMNS": "100",
    }
    (tmp_path / "home").mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("ROSETTA_DATA", "ROSETTA_DEBUG")}
    return kept | own


@pytest.fixture
def rosetta(variables):
    """Run ``rosetta`` with some arguments; return the finished process."""

    def run(*arguments, **more):
        command = [sys.executable, "-m", "rosettabench.cli", *map(str, arguments)]
        return subprocess.run(command, env=variables | more, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    return run
