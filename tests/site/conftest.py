"""A store with runs of two machines, a history with a change of level, and hostile names; and its site."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
sys.path.insert(0, str(Path(__file__).parents[1] / "verify"))

from sample_run import write_sample_run
from site_runs import write_history

from rosettabench.cli import main
from rosettabench.store.store import Store


@pytest.fixture(scope="session")
def site_store(tmp_path_factory):
    """The path of a store with the sample run, with eight runs of one contest, and a run of another machine."""
    path = tmp_path_factory.mktemp("site-store") / "results.sqlite"
    store = Store(str(path))
    write_sample_run(store)
    write_history(store)
    store.engine.dispose()
    return path


@pytest.fixture(scope="session")
def site(site_store, tmp_path_factory):
    """The folder of its site."""
    out = tmp_path_factory.mktemp("site") / "public"
    assert main(["site", str(out), "--store", str(site_store)]) == 0
    return out
