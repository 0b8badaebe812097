"""The command line, started in a folder of its own."""

import os

import pytest
from command_line import run_command
from laboratory import environment

from rosettabench.places import cache_dir


@pytest.fixture
def rosetta(tmp_path):
    """Run ``rosetta`` with some arguments in `tmp_path`; return (exit code, output, errors)."""
    environment("pytorch@2.13.0")

    def run(*words):
        variables = {"ROSETTA_CACHE": str(cache_dir()), "ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite"}
        done = run_command(words, os.environ | variables, tmp_path)
        return done.returncode, done.stdout, done.stderr

    return run
