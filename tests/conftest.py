"""What all tests share: where real data lies, who runs beside whom, and how many examples Hypothesis draws.

Timing decides no test, and Hypothesis sets no deadline. As many processes of pytest-xdist share the tests as there are
processors, and each keeps to one: so nobody's threads wait for a processor that another test has. ``-n 0`` runs them
one after the other.

tiers.py says which tests run when.
"""

import os
import uuid
from pathlib import Path

import pytest
from full_disk import mounted
from hypothesis import settings
from postgresql import Missing, server
from processors import PROCESSORS

from rosettabench.client.machine import PROGRAMS, SHORTEST_KEPT
from rosettabench.places import cache_dir
from rosettabench.resources.processors import confine_children

pytest_plugins = ["browsers", "tiers", "pytester"]

MOST = 8
"""Processes that share the tests, at most: each may have a framework or two in memory."""

os.environ.setdefault(PROGRAMS, str(cache_dir() / "compiled"))  # nothing is timed: what JAX has compiled is kept
os.environ.setdefault(SHORTEST_KEPT, "0")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the command line is started hundreds of times, and compiled once

settings.register_profile("all", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)


def pytest_xdist_auto_num_workers(config):
    """One process for each processor."""
    return min(len(PROCESSORS), MOST)


def pytest_configure(config):
    """Say how many examples Hypothesis draws; keep a process of pytest-xdist to a processor of its own."""
    settings.load_profile("all" if config.option.all else "quick")
    if hasattr(config, "workerinput"):
        number = int(config.workerinput["workerid"].removeprefix("gw"))
        os.sched_setaffinity(0, {PROCESSORS[number % len(PROCESSORS)]})


@pytest.hookimpl(tryfirst=True)  # before anybody looks for groups
def pytest_collection_modifyitems(config, items):
    """Give the tests of one file to one process, which makes what they share once; those of the proof by workload."""
    for item in items:
        values = item.callspec.params if hasattr(item, "callspec") else {}
        workload = getattr(values.get("plant"), "workload", values.get("workload"))
        proof = "references" in item.fixturenames
        group = str(workload) if proof and workload else item.location[0]
        item.add_marker(pytest.mark.xdist_group(group))
        if getattr(config.option, "loadgroup", False):
            # pytest-xdist 3.8 appends the group to a field that pytest 9.2 does not read, and would split every file
            item._id = type(item.id).parse(f"{item.nodeid}@{group}")


@pytest.fixture
def disk(tmp_path):
    """A disk of four mebibytes."""
    try:
        with mounted(tmp_path / "disk") as made:
            yield made
    except PermissionError as error:
        pytest.skip(str(error))


@pytest.fixture
def all_processors():
    """Let a test have every processor, beside whatever else runs there."""
    with confine_children(PROCESSORS):
        yield


@pytest.fixture
def two_processors(all_processors):
    """Let a test have every processor; skip it where there is only one."""
    if len(PROCESSORS) < 2:
        pytest.skip("this test needs two processors")


@pytest.fixture(scope="session")
def real_data():
    """The folder with the real data sets: ROSETTA_TEST_DATA, or ``shared/data`` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ROSETTA_TEST_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no real data sets here. With a folder of them: ROSETTA_TEST_DATA=folder ./rosetta test")
    return folder


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server of the tests' own; where there can be none, the test is skipped, and says what brings one."""
    try:
        with server() as made:
            yield made
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def database(postgresql):
    """The URL of a new, empty database."""
    return postgresql.make(f"results-{uuid.uuid4().hex}")
