"""The suite that joins libraries as shipped with equal work: one run, one budget, and it goes on where it was ended."""

import re
import signal
import time

import pytest
from commands import finish
from laboratory import environment
from tiers import slow

from rosettabench.published.summary import summarise_whole
from rosettabench.shipped.library import all_libraries
from rosettabench.statistics.doubt import SuspectRounds

PAIR = "pytorch,mxnet-gluon:compiled"
SUITE = ("run", "--suite", "deepar-2024", "--offline", "-f", PAIR)
SMALL = (*SUITE, "--no-control", "--set", "threads=1")


@pytest.mark.slow
@pytest.mark.environment
def test_both_halves_run_within_a_budget_and_go_on_after_ctrl_c(rosetta, store, real_data):
    for lock in ("mxnet@1.9.1", *(library.lock for library in all_libraries().values())):
        environment(lock)
    process = rosetta(*SMALL, "--set", "series=m1_yearly", "--budget", "2m")
    end = time.monotonic() + 400
    while time.monotonic() < end and process.poll() is None:
        if store().runs() and any(event.kind == "stopped" for event in store().run().events):
            break
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert code == 130, err
    planned = re.search(r"1 contest: planned for ([0-9]+) s,", err)
    assert planned and int(planned[1]) <= 60, "the contests may take half of the budget"
    before = store().run()
    assert summarise_whole(before).state == "interrupted"
    turns = sum(len(entry.blocks) for entry in before.contests[0].entries)
    assert turns > 0 and f"rosetta resume {before.id}" in err
    code, out, err = finish(rosetta("resume", before.id), 500)
    assert code == 0, err
    run = store().run(before.id)
    assert sum(len(entry.blocks) for entry in run.contests[0].entries) == turns, "the contest was over"
    summary = summarise_whole(run)
    assert summary.state == "finished"
    (trained,) = summary.trainings.sets
    assert {entry.label for entry in trained.entries if entry.trainings} == {*all_libraries()}
    (account,) = summary.accounts
    assert [factor.name for factor in account.factors][-2:] == ["models", "equal work"]
    assert "Scaled down: 1 of the study's 41 sets" in " ".join(out.split())
    found = {outcome.id: outcome for outcome in summary.study.outcomes}
    assert found["D1"].parts[0].measurement.value > 0
    equal_work = found["D3"].parts[0].measurement
    if equal_work.value is None:
        assert SuspectRounds(None) in equal_work.reasons, (
            "beside other tests nothing is claimed, and the reason is told"
        )
    else:
        assert equal_work.value == pytest.approx(account.factors[-1].value, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*SMALL, "--budget", "10s", "--set", "series=m1_yearly"), "nothing fits into 5 s"),
        slow(
            ("run", "imdb-gru", "-f", "gluonts[torch]"),
            "gluonts[torch] trains as it is shipped, and is not a contender",
        ),
        slow(
            (*SUITE, "--set", "threads=1,2", "--set", "series=m1_yearly"),
            "threads=1,2 gives the trainings as shipped more than one",
        ),
    ],
)
def test_what_cannot_be_done_is_told(answer, words, told):
    code, _, err = answer(*words)
    assert code == 2
    assert told in err


def test_without_a_file_there_is_no_set(answer, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _, err = answer(*SMALL, "--data-dir", str(tmp_path / "empty"))
    assert code == 2
    assert "no set of the study was found" in err
