"""The command line, started in a folder and with a store of its own."""

import os
import subprocess

import pytest
from command_line import fresh, run_command
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
def surroundings(tmp_path, _reference):
    """The environment variables of a command with a store of its own; some may be added."""

    def surround(**variables):
        return os.environ | {
            "ROSETTA_CACHE": str(cache_dir()),
            "ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite",
            "ROSETTA_DATA": str(data_folder() or ""),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(THIRD_PARTY), os.environ.get("PYTHONPATH", "")])),
            **variables,
        }

    return surround


@pytest.fixture
def answer(surroundings, tmp_path):
    """Run a command that measures nothing: answer(words…) -> (code, output, errors)."""

    def run(*words, **variables):
        done = run_command(words, surroundings(**variables), tmp_path, 300)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def rosetta(surroundings, tmp_path):
    """Start the command line: rosetta(words…) -> Popen."""
    started = []

    def start(*words, **variables):
        process = subprocess.Popen(
            fresh(*words),
            cwd=tmp_path,
            env=surroundings(**variables),
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
