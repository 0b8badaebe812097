"""What the Tab key offers, asked as the shells ask."""

import shutil
import stat
import subprocess
import sys

import pytest
from rows import begin_run

from rosettabench.store.store import Store


@pytest.fixture
def offered(rosetta):
    """Return what bash would be offered at the end of a command line."""

    def complete(line):
        words = line.split(" ")
        process = rosetta(_ROSETTA_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        assert process.stderr == ""
        return process.stdout.split()

    return complete


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rosetta re", {"resume", "report", "repeat"}),
        ("rosetta list wo", {"workloads"}),
        ("rosetta show imdb", {"imdb-gru", "imdb-gru:reset-before", "imdb-lstm"}),
        ("rosetta show imdb-gru -f pyt", {"pytorch"}),
        ("rosetta show imdb-gru -f pytorch,ref", {"pytorch,reference-pytorch", "pytorch,reference-jax"}),
        ("rosetta show imdb-gru -f pytorch,pyt", set()),
        ("rosetta show --pl", {"--plain"}),
        ("rosetta data fa", {"fashion-mnist"}),
        ("rosetta shipped hosp", {"hospital"}),
        ("rosetta shipped hospital -f gluonts[t", {"gluonts[torch]"}),
        ("rosetta --ver", {"--version"}),
        ("rosetta env ma", {"make"}),
    ],
)
def test_offers(offered, line, words):
    assert set(offered(line)) == words


def test_all_commands_without_importing_one(rosetta):
    from rosettabench.cli import Rosetta

    process = rosetta(
        _ROSETTA_COMPLETE="complete_bash", COMP_WORDS="rosetta ", COMP_CWORD="1", PYTHONPROFILEIMPORTTIME="1"
    )
    assert process.stdout.split() == list(Rosetta.table)
    assert "rosettabench.cli.doctor" not in process.stderr
    assert "rosettabench.cli" in process.stderr


def test_runs(monkeypatch, tmp_path):
    from rosettabench.cli.completion import complete_runs

    monkeypatch.setenv("ROSETTA_STORE", f"sqlite:///{tmp_path / 'results.sqlite'}")
    assert complete_runs("") == []
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    for name in ("20260101-abc", "20260202-def"):
        begin_run(store, name, command=["rosetta", "run"])
    assert complete_runs("202602") == [("20260202-def", "rosetta run")]
    (tmp_path / "damaged.sqlite").write_bytes(b"no database" * 1000)
    monkeypatch.setenv("ROSETTA_STORE", f"sqlite:///{tmp_path / 'damaged.sqlite'}")
    assert complete_runs("") == [], "Tab is no place for an error message"


def test_contenders_and_work():
    from rosettabench.cli.completion import complete_contenders, complete_work

    offers = dict(complete_contenders("jax,pytorch"))
    assert {"jax,pytorch", "jax,pytorch:compiled"} <= set(offers)
    assert "jax,pytorch:eager" not in offers, "the default mode needs no name"
    assert {word for word, _ in complete_work("")} >= {"quick", "imdb-gru"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(rosetta, shell):
    process = rosetta("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_ROSETTA_COMPLETE" in process.stdout
    assert process.returncode == 0


def test_zsh_and_fish_are_told_what_a_word_is(rosetta):
    line = {"_TYPER_COMPLETE_ARGS": "rosetta list wo"}
    assert "workloads" in rosetta(_ROSETTA_COMPLETE="complete_zsh", **line).stdout
    more = {"_TYPER_COMPLETE_ARGS": "rosetta do", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert rosetta(_ROSETTA_COMPLETE="complete_fish", **more).stdout.startswith("doctor\tSay what is missing")


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash on PATH: apt-get install bash")
def test_the_script_is_installed_and_bash_completes_with_it(rosetta, variables, tmp_path):
    process = rosetta("--install-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert process.returncode == 0, process.stderr
    program = tmp_path / "rosetta"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rosettabench.cli "$@"\n')
    program.chmod(stat.S_IRWXU)
    script = (
        f"source {tmp_path}/home/.bash_completions/rosetta.sh; PATH={tmp_path}:$PATH; "
        "COMP_WORDS=(rosetta show imdb-gru -f keras); COMP_CWORD=4; _rosetta_completion rosetta; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    shell = subprocess.run(["bash", "--norc", "-c", script], env=variables, capture_output=True, text=True)
    assert "keras[tensorflow]" in shell.stdout.split(), shell.stderr
