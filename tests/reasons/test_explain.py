"""``rosetta explain`` on a real pair, and what it answers to mistyped words."""

import os
import subprocess
import sys

import pytest
from laboratory import data_folder

from rosettabench.reasons.measured import Measured
from rosettabench.reasons.parts import explain
from rosettabench.store.store import Store


def rosetta(store, *arguments):
    variables = {**os.environ, "ROSETTA_STORE": store, "COLUMNS": "160"}
    command = [sys.executable, "-m", "rosettabench.cli", *arguments]
    return subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('store') / 'results.sqlite'}"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["explain", "imdb-gur", "pytorch", "jax"], "imdb-gru"),
        (["explain", "imdb-gru", "pytorch", "jxa"], "jax"),
        (["explain", "imdb-gru", "pytorch", "pytorch:eagre"], "eager"),
        (["explain", "imdb-gru", "pytorch"], "two contenders"),
        (["explain", "imdb-gru", "pytorch", "jax", "--set", "thraeds=1"], "threads"),
        (["explain", "imdb-gru", "--last"], "--last"),
        (["explain", "--last"], "nothing is explained"),
    ],
)
def test_mistyped_words(store, words, meant):
    process = rosetta(store, *words)
    assert process.returncode == 2, process.stderr
    assert meant in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.slow
@pytest.mark.environment
def test_a_real_pair_from_the_command_to_the_store_and_back(store, tmp_path):
    data = ["--data-dir", str(data_folder())] if data_folder() else []
    page = tmp_path / "page.html"
    options = ["--set", "threads=1", "--seconds", "4", "--starts", "1", "--profile", "--offline", *data]
    options += ["--report", str(page)]
    process = rosetta(store, "explain", "fashion-mlp", "pytorch", "jax", *options)
    assert process.returncode == 0, process.stderr
    again = rosetta(store, "explain", "--last")
    assert again.stdout in process.stdout
    assert "launch, interpreter" in page.read_text(encoding="utf-8")
    run = Store(store).run()
    [event] = [event for event in run.events if event.kind == "explained"]
    explanation = explain(Measured.model_validate(event.payload))
    [pair] = explanation.pairs
    assert {pair.slower, pair.faster} == {"pytorch", "jax"}
    assert f"{pair.slower} takes" in process.stdout or "are not parted" in process.stdout
    assert set(pair.parts) == {"arithmetic", "launch", "optimiser", "input", "bend"}
    assert sum(part.value for part in pair.parts.values()) == pytest.approx(pair.more.value, abs=1e-9)
    assert pair.more.low <= sum(part.value for part in pair.parts.values()) <= pair.more.high
    assert {step.label: step.how for step in explanation.steps} == {"pytorch": "update", "jax": "backpropagate"}
    assert explanation.rounds >= 5
    assert all(one.profile and one.profile.operations for one in explanation.measured.subjects)
    assert all(entry.certifications for contest in run.contests for entry in contest.entries)
    assert "finished" in rosetta(store, "resume").stderr
    report = rosetta(store, "report", "--format", "json", "--output", str(tmp_path / "report.json"))
    assert report.returncode == 0, report.stderr
