"""--help: quick, complete, with an example everywhere."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from rosettabench.cli import Rosetta
from rosettabench.cli.lazy import load

SLOW = {
    "rich",
    "pydantic",
    "sqlalchemy",
    "scipy",
    "numpy",
    "altair",
    "pooch",
    "requests",
    "psutil",
    "pygments",
    "tomllib",
}
"""What the list of commands can do without; ``tomllib`` stands for the catalogue's files."""


def commands():
    """Return the words of every command, those below ``env`` included."""
    below = load("env", Rosetta.table["env"]).commands
    return [*((name,) for name in Rosetta.table), *(("env", name) for name in below)]


def test_the_list_of_commands_imports_no_command_and_nothing_slow(variables):
    command = [sys.executable, "-X", "importtime", "-m", "rosettabench.cli", "--help"]
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    imported = {line.rpartition("|")[2].strip() for line in process.stderr.splitlines()}
    assert "typer" in imported
    assert not {name.split(".")[0] for name in imported} & SLOW
    assert not {place.module for place in Rosetta.table.values()} & imported
    assert process.returncode == 0


def test_help_lists_every_command_with_its_summary(rosetta):
    page = rosetta("--help").stdout
    for name, place in Rosetta.table.items():
        assert f"  {name} " in page
        assert " ".join(place.summary.split()) in " ".join(page.split())


def test_no_arguments_and_h_are_help_too(rosetta):
    assert rosetta().stdout == rosetta("-h").stdout == rosetta("--help").stdout != ""


@pytest.mark.parametrize("name", Rosetta.table)
def test_the_table_says_what_the_command_says(name):
    place = Rosetta.table[name]
    assert find_spec(place.module), f"{place.module} does not exist"
    assert load(name, place).help.splitlines()[0] == place.summary


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_help_ends_with_an_example(rosetta, words):
    process = rosetta(*words, "--help")
    last = process.stdout.strip().splitlines()[-1]
    assert process.returncode == 0, process.stderr
    assert last.strip().startswith("Example: rosetta " + words[0])
    assert "--debug" in process.stdout


def test_version(rosetta):
    assert rosetta("--version").stdout.startswith("rosettabench 0.")
