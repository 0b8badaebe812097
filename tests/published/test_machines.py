"""Claims over several machines: each kind is judged by itself, and the sentence says on how many a claim holds."""

from dataclasses import replace

import pytest
from measured_runs import machine_with, measured_run

from rosettabench.cli.claims import claims
from rosettabench.published.machines import outcomes_by_machine
from rosettabench.report.tables.studies import claim_rows
from rosettabench.report.words.claim import finding_words
from rosettabench.summary.study import ClaimFinding

HERE = machine_with("the machine that asks")
TRUE, FALSE = 1e-3 / 0.71, 1e-3
"""Seconds of a step of MXNet with which claim S1 holds, or does not: Keras on TensorFlow takes 1e-3."""


def dense(folder, processor, mxnet, run_id=""):
    """A run of the dense network on a machine with a processor."""
    contest = ("fashion-mlp", {}, {"mxnet-gluon": mxnet, "keras[tensorflow]": 1e-3})
    return measured_run(folder, contest, run_id=run_id or processor, processor=processor)


def outcome(claim, *runs):
    """The outcome of a claim over the machines of some runs, the newest first."""
    (found,) = [one for one in outcomes_by_machine("smartia-2019", runs, HERE) if one.id == claim]
    return found


@pytest.mark.parametrize(
    ("speeds", "finding", "words"),
    [
        ((TRUE, TRUE), ClaimFinding.HOLDS, "holds on 2 of 2 machines"),
        ((TRUE, TRUE, FALSE), ClaimFinding.FAILS, "holds on 2 of 3 machines, does not hold on 1"),
        ((FALSE, FALSE), ClaimFinding.FAILS, "does not hold on 2 of 2 machines"),
    ],
)
def test_it_says_on_how_many_machines_a_claim_holds(speeds, finding, words, tmp_path):
    runs = [dense(tmp_path, f"Processor {number}", mxnet) for number, mxnet in enumerate(speeds)]
    found = outcome("S1", *runs)
    assert (found.finding, finding_words(found)) == (finding, words)
    assert [one.machine["processor"] for one in found.machines] == [run.machine["processor"] for run in runs]
    first, *rows = claim_rows(found)
    assert [first[0].text, first[5].text, first[5].marked] == ["S1", words, finding is ClaimFinding.FAILS]
    assert [row[1].text for row in rows] == [f"on Processor {number}, 2 cores" for number in range(len(speeds))]
    assert [float(row[4].text) for row in rows] == pytest.approx([1e-3 / mxnet for mxnet in speeds], rel=0.03)


def test_a_machine_that_measured_something_else_neither_confirms_nor_refutes(tmp_path):
    other = measured_run(tmp_path, ("imdb-gru", {}, {"pytorch": 1e-3}), run_id="other", processor="Another")
    found = outcome("S1", other, dense(tmp_path, "Processor", TRUE))
    assert found.finding is ClaimFinding.HOLDS
    assert finding_words(found) == "holds on 1 of 2 machines, not enough data on 1"
    assert found.parts[0].measurement.run == "Processor", "the parts are those of the machine that decides"


def test_no_ratio_mixes_two_machines(tmp_path):
    """One of them measured MXNet, the other one Keras: together they would refute the claim."""
    halves = [("fashion-mlp", {}, {label: 1e-3}) for label in ("mxnet-gluon", "keras[tensorflow]")]
    whole = measured_run(tmp_path / "whole", *halves, run_id="whole")
    assert outcome("S1", whole).finding is ClaimFinding.FAILS, "two contests of one machine are compared"
    away = replace(whole.contests[1], machine=machine_with("Another"))
    spread = replace(whole, contests=(whole.contests[0], away))
    found = outcome("S1", spread)
    assert (found.finding, found.is_measured) == (ClaimFinding.OPEN, False)
    assert finding_words(found) == "not enough data", "one row says so for both"
    assert len(claim_rows(found)) == 1


def test_several_runs_of_one_kind_of_machine_are_one_machine(tmp_path):
    found = outcome("S1", *(dense(tmp_path, "Same", TRUE, name) for name in ("newer", "older")))
    assert not found.machines
    assert finding_words(found) == "holds"


def test_without_runs_it_is_about_the_machine_that_asks():
    found = outcome("S1")
    assert (found.finding, found.machines) == (ClaimFinding.OPEN, ())


def test_the_command_judges_each_machine_of_a_store(tmp_path, capsys):
    for number, mxnet in enumerate((TRUE, FALSE, TRUE)):
        dense(tmp_path, f"Processor {number}", mxnet)
    claims("smartia-2019", f"sqlite:///{tmp_path}/results.sqlite")
    said = " ".join(capsys.readouterr().out.split())
    assert "holds on 2 of 3 machines" in said
    assert "on Processor 1, 2 cores" in said
