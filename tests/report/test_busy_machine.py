"""Where others computed during the rounds there is no verdict, and one sentence says so."""

from dataclasses import replace

import pytest
from rows import event_of

from rosettabench.report.words.answer import headline
from rosettabench.report.words.contest import oddity_sentences, stopped_sentence
from rosettabench.report.words.doubt import doubts_words
from rosettabench.report.words.verdict import control_sentence
from rosettabench.statistics.verdict import Finding
from rosettabench.store.record import ALL_DECIDED, Dropped, RoundLoad, Stopped
from rosettabench.summary.run import summarise


def loaded(store, others, dropped=()):
    """The sample run as it would be, had others used such shares of the processors by round."""
    run = store.run()
    for contest in run.contests:
        for number, share in others.items():
            load = RoundLoad(round=number, seconds=1.0, processors=2, others=share, stolen=0.0)
            happened = [load]
            happened += [Dropped(round=number, why="it slept")] if number in dropped else []
            run.events += [event_of(one, run.id, contest) for one in happened]  # in memory only
    return summarise(run).contests[0]


def test_a_busy_machine_has_no_verdict_and_says_how_busy_it_was(sample_store):
    contest = loaded(sample_store, dict.fromkeys(range(1, 13), 0.34))
    assert {verdict.finding for verdict in contest.verdicts} == {Finding.OPEN}
    assert all(doubts_words(verdict.doubts) == "The machine was busy." for verdict in contest.verdicts)
    assert {entry.rank for entry in contest.ranked} == {1}
    sentence = "Other programs used 34% of the processors' time during the rounds: above 5% in all there is no verdict."
    assert sentence in headline(contest).evidence
    assert headline(contest).evidence.count("34%") == 1
    assert oddity_sentences(contest) == (sentence,)
    assert contest.control.verdict.finding is Finding.OPEN
    assert control_sentence(contest.control).endswith("no verdict. The machine was busy.")


def test_what_its_rounds_decided_is_told_beside_the_doubts(sample_store):
    busy = loaded(sample_store, dict.fromkeys(range(1, 13), 0.34))
    doubted = f", but doubts leave {len(busy.verdicts)} of {len(busy.verdicts)} without a verdict."
    decided = {"end": Stopped(why=ALL_DECIDED, rounds=12)}
    assert stopped_sentence(replace(busy, **decided)) == f"Stopped after 12 rounds: all pairs decided{doubted}"
    quiet = summarise(sample_store.run()).contests[0]
    assert stopped_sentence(replace(quiet, **decided)) == "Stopped after 12 rounds: all pairs decided."
    limited = replace(busy, end=Stopped(why="limit on rounds", rounds=12))
    assert stopped_sentence(limited) == "Stopped after 12 rounds: limit on rounds."


@pytest.mark.parametrize("others", [{}, dict.fromkeys(range(1, 13), 0.02)], ids=["unknown", "quiet"])
def test_a_quiet_one_has(sample_store, others):
    before = summarise(sample_store.run()).contests[0]
    contest = loaded(sample_store, others)
    assert contest.verdicts == before.verdicts
    assert contest.oddities == before.oddities == ()


def test_a_round_that_does_not_count_does_not_make_a_busy_machine(sample_store):
    others = {number: 0.9 * (number == 1) for number in range(1, 13)}
    assert any("Other programs" in one for one in oddity_sentences(loaded(sample_store, others)))
    without = oddity_sentences(loaded(sample_store, others, dropped=[1]))
    assert not any("Other programs" in one for one in without)
