"""A drawn run, its bundle, and the command line in this process."""

import sys
from pathlib import Path

import pytest

from rosettabench.cli import attempt
from rosettabench.evidence.archive import pack, unpack
from rosettabench.evidence.collection import collect
from rosettabench.evidence.members import members_of
from rosettabench.store.store import Store

sys.path.insert(0, str(Path(__file__).parent))
from drawn_run import write_drawn_run


@pytest.fixture(scope="session")
def drawn_store(tmp_path_factory):
    """A store with one drawn run."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'results.sqlite'}")
    write_drawn_run(store)
    return store


@pytest.fixture(scope="session")
def content(drawn_store):
    """The bundle of the drawn run, as bytes."""
    return pack(members_of(collect(drawn_store.run())))


@pytest.fixture(scope="session")
def _members(content):
    """The members of the bundle, read once."""
    return unpack(content)


@pytest.fixture
def members(_members):
    """The members of the bundle, but its manifest: {name: text}, for a test to change."""
    return dict(_members)


@pytest.fixture
def rosetta(tmp_path, monkeypatch, capsys):
    """Run the command line in a folder of its own: rosetta(words…) -> (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROSETTA_STORE", f"sqlite:///{tmp_path}/results.sqlite")

    def run(*words):
        code = attempt([*map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return run
