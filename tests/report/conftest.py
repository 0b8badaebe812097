"""One sample run for all tests of the report."""

import sys
from pathlib import Path

import pytest

from rosettabench.store.store import Store
from rosettabench.summary.run import summarise

sys.path.insert(0, str(Path(__file__).parent))
from sample_run import write_sample_run


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory):
    """A store with the sample run."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'results.sqlite'}")
    write_sample_run(store)
    return store


@pytest.fixture(scope="session")
def summary(sample_store):
    """The sample run's summary."""
    return summarise(sample_store.run())


@pytest.fixture
def contests(summary):
    """The sample run's contests by name."""
    return {contest.name: contest for contest in summary.contests}
