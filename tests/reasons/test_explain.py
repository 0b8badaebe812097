"""``rosetta explain`` on a real pair, and what it answers to mistyped words."""

import os

import pytest
from command_line import run_command
from laboratory import data_folder

from rosettabench.catalogue.switch import all_switches
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.client.machine import describe_machine
from rosettabench.lab.journal import Journal
from rosettabench.plan.request import PeakRequest
from rosettabench.reasons.measured import MeasuredRounds
from rosettabench.reasons.parts import explain
from rosettabench.reasons.shortfall import Circumstances, find_shortfalls
from rosettabench.report.words.doubt import doubts_words
from rosettabench.report.words.shortfall import shortfall_words
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now
from rosettabench.summary.contest import entered_contenders
from rosettabench.summary.run import summarise


def rosetta(store, *arguments):
    variables = {**os.environ, "ROSETTA_STORE": store, "COLUMNS": "160"}
    return run_command(arguments, variables)


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
    explanation = explain(MeasuredRounds.model_validate(event.payload))
    [pair] = explanation.pairs
    assert {pair.slower, pair.faster} == {"pytorch", "jax"}
    [found], said = summarise(run).contests[0].reasons.pairs, " ".join(process.stdout.split())
    if found.doubts:  # the machine was busy, or its rounds do not fit together
        assert f"{pair.slower} and {pair.faster}: no verdict. {doubts_words(found.doubts)}" in said
    else:
        assert f"{pair.slower} takes" in said or "No difference found yet" in said or "are equally fast" in said
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


def write_ceiling(store, rate):
    """Write down that a library reached a rate on this machine with one thread."""
    request = PeakRequest().model_dump(mode="json")
    machine, command = describe_machine(), ["rosetta", "peak"]
    store.add(Run(id="peak", at=now(), version="0", command=command, request=request, machine=machine))
    series = CeilingSeries(
        library="numpy",
        environment="",
        threads=1,
        device="cpu",
        kind="product",
        what="float32",
        size=1024,
        amount=rate,
        times=1,
        seconds=(1.0, 1.0, 1.0),
        cpu_seconds=(1.0, 1.0, 1.0),
        error=2e-7,
    )
    Journal(store, "peak").event(series)


@pytest.mark.slow
@pytest.mark.environment
def test_jax_far_below_the_ceiling_names_the_gradient_of_its_convolution_and_the_switch(tmp_path):
    """The ceiling is made up, a hundred times as high as a core's: everybody is far below it on any machine."""
    url = f"sqlite:///{tmp_path / 'results.sqlite'}"
    write_ceiling(Store(url), 2e13)
    data = ["--data-dir", str(data_folder())] if data_folder() else []
    options = ["--set", "threads=1", "--set", "batch_size=8", "--seconds", "2", "--starts", "1", "--profile"]
    process = rosetta(url, "explain", "fashion-cnn", "jax", "pytorch", *options, "--offline", *data)
    assert process.returncode == 0, process.stderr
    # On a busy machine there is no verdict, and then nobody is said to be far below.
    assert ("of the ceiling (" in process.stdout) == ("no verdict" not in process.stdout)
    run = Store(url).run()
    [event] = [event for event in run.events if event.kind == "explained"]
    explanation = explain(MeasuredRounds.model_validate(event.payload))
    [total] = [step.total for step in explanation.steps if step.label == "jax"]
    held = Circumstances(device="cpu", at_ceiling=0.1 * total.low, recurrent=False)
    jax, *_ = find_shortfalls(explanation, entered_contenders(run.contests[0]), held, all_switches())
    assert (jax.label, jax.kinds[0].word) == ("jax", "convolution")
    assert any(one.gradient and "conv_general_dilated" in one.name for one in jax.operations)
    assert any("xla_cpu_experimental_ynn_fusion_type" in one.how for one in jax.switches)
    said = shortfall_words(jax, 0.95).evidence
    assert "a gradient" in said and "fashion-cnn 52.6 to 16.5 ms of processor time" in said
