"""The suite of a study, run through the command line within a budget: what fits is run, and everything is told."""

import json

import pytest
from commands import NUMPY, QUICK, finish

from rosettabench.catalogue.suite import Stopping, find_suite
from rosettabench.lab.begin import begin_run
from rosettabench.lab.journal import Journal
from rosettabench.lab.run import is_unfinished
from rosettabench.plan.estimate import START_S
from rosettabench.plan.request import RunRequest
from rosettabench.plan.scope import scope
from rosettabench.store.record import Phase, UsedData
from rosettabench.store.store import unbegun

pytestmark = pytest.mark.environment


@pytest.mark.slow
def test_a_study_within_a_budget(rosetta, store, tmp_path):
    words = ("run", *QUICK, "fashion-mlp", "--suite", "smartia-2019", "-f", NUMPY, "--set", "threads=1")
    code, out, err = finish(rosetta(*words, "--budget", "22s"))
    assert code == 0, err
    assert "1 contest: planned for 22 s, at least 0.6 GB of memory; guessed in part (memory, rounds, start)" in err
    run = store().run()
    assert run.request["study"] == "smartia-2019"
    assert run.contests[0].stopping["seconds"] == pytest.approx(22 - 2 * START_S, abs=1), "what two starts leave"
    assert "S10" in out
    assert "published then" in out
    code, told, err = finish(rosetta("report", "--format", "json", "--output", "-"))
    assert code == 0, err
    found = json.loads(told)["study"]
    assert [one["id"] for one in found["outcomes"]] == [f"S{number}" for number in range(1, 11)]
    assert found["outcomes"][0]["finding"] == "not enough data", "NumPy answers for nobody"
    code, told, err = finish(rosetta("claims", "smartia-2019"))
    assert code == 0, err
    assert "cannot be tested here" in told
    code, told, err = finish(rosetta(*words, "--budget", "31s"))
    assert "from earlier contests here" in err, "the second time it knows"


def test_what_a_spent_budget_leaves_is_told_and_is_no_failure(rosetta, store):
    """The plan found room for two contests, or so the request says. The first begins nevertheless."""
    short = Stopping(processes=1, rounds=(8, 8), round_seconds=0.1)
    request = RunRequest(
        workloads=("fashion-mlp", "fashion-cnn"), contenders=("pytorch",), control=False, budget=1e-9, stopping=short
    )
    run = begin_run(store(), request, ["rosetta", "run"])
    code, out, err = finish(rosetta("resume", run.id))
    assert code == 0, err
    assert "fashion-mlp: the budget" not in err
    assert "fashion-cnn: the budget has not enough time left for it" in err
    assert f"the budget had not enough time left for all contests; continue with: rosetta resume {run.id}" in err
    assert out.count("The budget had not enough time left for it") == 1
    found = store().run(run.id)
    for open_ in (unbegun, is_unfinished):
        assert [open_(found, contest) for contest in found.contests] == [False, True]
    assert {block.round for block in found.contests[0].entries[0].blocks if block.phase == Phase.TURN} == set(
        range(1, 9)
    )
    Journal(store(), run.id, found.contests[1].id).event(UsedData(name="it was resumed, and cut short"))
    found = store().run(run.id)
    assert [unbegun(found, contest) for contest in found.contests] == [False, False]
    assert is_unfinished(found, found.contests[1])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--budget", "soon"), "'soon' is not a duration"),
        (("--budget", "10m", "--full"), "--budget decides"),
        (("--budget", "2s", "fashion-mlp"), "nothing fits into 2 s"),
        (("--suite", "smartia-2091"), "Did you mean 'smartia-2019'?"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(answer, words, told):
    code, _, err = answer("run", *words)
    assert code == 2
    assert told in err


def test_a_contender_that_nobody_has_written_is_told():
    assert "There is no contender knet here yet." in scope(find_suite("rosetta-2018"), gpus=0).lacks


def test_an_unknown_study(answer):
    code, _, err = answer("claims", "smartia")
    assert code == 2
    assert "smartia-2019" in err
