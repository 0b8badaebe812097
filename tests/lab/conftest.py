"""The command line, started in a folder and with a store of its own."""

import os
import subprocess
import sys

import pytest
from commands import THIRD_PARTY
from laboratory import data_folder, environment
from signals import obey_ctrl_c

from rosettabench.places import cache_dir
from rosettabench.store.store import Store


@pytest.fixture(scope="session")
def _reference():
    """The environment of the reference, made before anything is timed out."""
    environment("pytorch@2.13.0")


@pytest.fixture
def rosetta(tmp_path, _reference):
    """Start the command line: rosetta(words…) -> Popen."""
    started = []

    def start(*words, **variables):
        surroundings = os.environ | {
            "ROSETTA_CACHE": str(cache_dir()),
            "ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite",
            "ROSETTA_DATA": str(data_folder() or ""),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(THIRD_PARTY), os.environ.get("PYTHONPATH")])),
            **variables,
        }
        command = [sys.executable, "-m", "rosettabench.cli", *words]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=obey_ctrl_c,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def store(tmp_path):
    """The store that `rosetta` writes to."""
    return lambda: Store(f"sqlite:///{tmp_path}/results.sqlite")
