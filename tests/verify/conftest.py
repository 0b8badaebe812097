"""A store of its own for every test, and the command line on it."""

import json
import os

import pytest
from command_line import run_command

from rosettabench.places import cache_dir
from rosettabench.store.store import Store, events_of
from rosettabench.summary.doubts import load_seen


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/results.sqlite"


@pytest.fixture
def store(url):
    return Store(url)


@pytest.fixture
def rosetta(url, tmp_path):
    """Run the command line: rosetta(words…) -> the finished process."""

    def run(*words, **variables):
        surroundings = {**os.environ, "ROSETTA_STORE": url, "ROSETTA_CACHE": str(cache_dir()), **variables}
        return run_command(words, surroundings, tmp_path, 550)

    return run


@pytest.fixture
def quiet(store):
    """Skip a test, when it is called, if other programs computed during what was measured so far: no verdict then."""

    def look():
        for run in (store.run(one.id) for one in store.runs()):
            if any(load_seen(events_of(run, contest), ()) for contest in run.contests):
                pytest.skip("other programs compute on this machine, so that verify gives no verdict")

    return look


@pytest.fixture
def asked(rosetta):
    """Run the command line with --json: asked(code, words…) -> what it printed."""

    def run(code, *words, **variables):
        process = rosetta(*words, "--json", **variables)
        assert process.returncode == code, process.stderr
        return json.loads(process.stdout)

    return run
