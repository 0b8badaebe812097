"""The commands that a hint tells the user to type next."""

import pytest

from rosettabench.cli.laboratory import resume_command
from rosettabench.store.command import on_store
from rosettabench.store.store import Store


@pytest.fixture
def url(tmp_path):
    """The URL of a store in a folder with a blank in its name."""
    (tmp_path / "my results").mkdir()
    return f"sqlite:///{tmp_path}/my results/one.sqlite"


def test_a_store_of_its_own_is_named(url, monkeypatch, tmp_path):
    monkeypatch.setenv("ROSETTA_STORE", f"sqlite:///{tmp_path}/usual.sqlite")
    assert resume_command(Store(url), "ab12") == f"rosetta resume ab12 --store '{url}'"
    monkeypatch.delenv("ROSETTA_STORE")
    assert on_store("rosetta report ab12", Store(url)).endswith(f"--store '{url}'")


def test_the_usual_one_is_not(url, monkeypatch):
    monkeypatch.setenv("ROSETTA_STORE", url)
    assert resume_command(Store(url), "ab12") == "rosetta resume ab12"
