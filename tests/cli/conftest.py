"""The command line as users have it: a process of its own, with a cache, a store and a home of its own."""

import os

import pytest
from command_line import run_command


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

    return lambda *arguments, **more: run_command(arguments, variables | more)
