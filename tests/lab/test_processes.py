"""Contests of several processes, whole and real: who gives which rounds, when it ends, and what its intervals span."""

import pytest
from commands import NUMPY, finish, turns

from rosettabench.lab.progress import Judge, Progress
from rosettabench.plan.request import read_request
from rosettabench.statistics.interval import ratio_interval
from rosettabench.statistics.ranking import LOOKS
from rosettabench.statistics.rounds import by_process, process_of_round, ratios, seconds_per_step
from rosettabench.statistics.spread import interval_over_processes, spread
from rosettabench.summary.run import summarise

pytestmark = [pytest.mark.environment, pytest.mark.slow]

ALIKE = ("run", "fashion-mlp", "-f", NUMPY, "--round-seconds", "0.2", "--set", "threads=1")
TWO = (*ALIKE, "--processes", "2")


def asked_at_the_first_look(run):
    """What the judge says of a contest of one contender and its control, from its first 20 rounds in the store."""
    one, copy = run.contests[0].entries
    rounds = {
        entry.label: {number: spent for number, spent in seconds_per_step(turns(entry)).items() if number <= 20}
        for entry in (one, copy)
    }
    processes = {number: session for number, session in process_of_round(turns(one)).items() if number <= 20}
    judge = Judge(read_request(run.request), [one.label], {copy.label: one.label})
    return judge.enough(Progress(rounds=rounds, processes=processes, last=20))


def test_where_the_first_processes_decide_no_more_are_started(rosetta, store):
    # A margin of a factor of two is decided at once, unless the machine itself gets in the way: then it must go on.
    code, out, err = finish(rosetta(*ALIKE, "--processes", "4", "--margin", "1"))
    assert code == 0, err
    run = store().run()
    enough = asked_at_the_first_look(run)
    for entry in run.contests[0].entries:
        last = {block.session: block.round for block in turns(entry)}
        first = {1: 5, 2: 10, 3: 15, 4: 20}
        assert last == (first if enough else first | {5: 25, 6: 30, 7: 35, 8: 40}), "they share the fewest rounds"
        places = [block.position for block in turns(entry) if block.round == 1]
        assert sorted(place // 2 for place in places) == [0, 1, 2, 3], "there and back, twice"
    assert f"Stopped after {20 if enough else 40} rounds: " in out
    assert not enough or f": {enough}." in out
    assert "One process of each" not in out


def test_where_they_do_not_as_many_again_share_the_rest(rosetta, store):
    code, out, err = finish(rosetta(*TWO, "--margin", "0", "--precision", "0.0001"))
    assert code == 0, err
    run = store().run()
    for entry in run.contests[0].entries:
        last = {block.session: block.round for block in turns(entry)}
        assert last == {1: 10, 2: 20, 3: 30, 4: 40}
        assert {certification.session for certification in entry.certifications} == {1, 2, 3, 4}
    assert "Stopped after 40 rounds: limit on rounds." in out
    first, second = (seconds_per_step(turns(entry)) for entry in run.contests[0].entries)
    processes = process_of_round(turns(run.contests[0].entries[0]))
    sessions = by_process(first, processes), by_process(second, processes)
    assert spread(*sessions).sessions == 4
    over_rounds = ratio_interval(ratios(first, second))
    over_processes = interval_over_processes(*sessions, tests=LOOKS)
    said = summarise(run).contests[0].control.verdict
    found = said.interval if said.slower == run.contests[0].entries[1].label else said.interval.inverse()
    assert found.low == pytest.approx(min(over_rounds.low, over_processes.low))
    assert found.high == pytest.approx(max(over_rounds.high, over_processes.high))


def test_who_asks_for_few_rounds_gets_few_processes_and_one_speaks_of_itself(rosetta, store):
    words = ("run", "fashion-mlp", "-f", NUMPY, "--round-seconds", "0.2", "--set", "threads=1", "--rounds", "9")
    code, _, err = finish(rosetta(*words))
    assert code == 0, err
    for entry in store().run().contests[0].entries:
        assert {block.session: block.round for block in turns(entry)} == {1: 4, 2: 9}
