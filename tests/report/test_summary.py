"""What the summary says about a run whose truth is known (sample_run.py)."""

import json
import random
from dataclasses import replace

import pytest
from rows import begin_run, event_of
from sample_run import HOSTILE, Player, quick_players, write_contest, write_sample_run
from sqlalchemy import text

from rosettabench.report.formats.record import render_json
from rosettabench.report.words.answer import headline
from rosettabench.report.words.contest import oddity_sentences, warning
from rosettabench.report.words.doubt import doubts_words
from rosettabench.report.words.proof import standing_words
from rosettabench.report.words.verdict import control_sentence, verdict_sentence, verdict_sentences
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Finding
from rosettabench.store.record import Dropped, Finished, Interrupted, Resumed
from rosettabench.store.schema import Certification
from rosettabench.store.store import Store
from rosettabench.summary.agreement import setting_rows
from rosettabench.summary.doubts import FEW_PAIRS, cast_doubts, seen_in
from rosettabench.summary.measured_contest import measured_contests
from rosettabench.summary.records import CheckSummary
from rosettabench.summary.run import summarise


def entry(contest, label):
    return next(entry for entry in contest.entries if entry.label == label)


def test_the_ranking_recovers_the_true_ratios(contests):
    ranked = contests["fashion-mlp"].ranked
    assert ranked[0].label == "jax"
    truth = {player.label: player.step / 1.5e-3 for player in quick_players()}
    for row in ranked[1:]:
        assert row.relative.low <= truth[row.label] <= row.relative.high
        assert row.relative.value == pytest.approx(truth[row.label], rel=0.02)


def test_contenders_that_nobody_can_part_share_a_rank(contests):
    ranks = {row.label: row.rank for row in contests["fashion-mlp"].ranked}
    assert ranks == {"jax": 1, "pytorch": 2, "mxnet-gluon": 2, "keras[tensorflow]": 4}


def test_the_headlines(contests):
    answers = {name: headline(contest).answer for name, contest in contests.items()}
    assert answers["fashion-mlp"] == "jax is fastest"
    assert answers["fashion-cnn"] in ("jax and pytorch are equally fast", "pytorch and jax are equally fast")
    assert "95%" in headline(contests["fashion-mlp"]).evidence


def test_without_a_proof_nobody_is_ranked_however_fast(contests):
    contest = contests["fashion-cnn"]
    failed, unproven = entry(contest, "keras[tensorflow]"), entry(contest, "mxnet-gluon")
    assert failed.step.value < contest.ranked[0].step.value  # it was the fastest of all
    assert failed.rank is None and failed.relative is None
    said = standing_words(failed)
    assert said.startswith("proof failed: gradient bias") and "at step 0" in said
    assert unproven.rank is None and standing_words(unproven).startswith("not proven")
    assert not any(
        label in sentence for label in (failed.label, unproven.label) for sentence in verdict_sentences(contest)
    )


def test_a_crash_and_too_few_rounds_say_why(contests):
    contest = contests["imdb-gru, batch size 32"]
    assert standing_words(entry(contest, "mxnet-gluon")) == "missing: it needed more memory than there is"
    assert standing_words(entry(contest, HOSTILE)).startswith("not enough data: 4 of the 8 rounds")
    assert entry(contest, HOSTILE).step.low is None


def test_the_control_is_judged_alone_and_not_ranked(contests):
    for contest in contests.values():
        assert "pytorch#2" not in [row.label for row in contest.ranked]
        assert not any("#2" in sentence for sentence in verdict_sentences(contest))
        assert {contest.control.verdict.faster, contest.control.verdict.slower} == {"pytorch", "pytorch#2"}
        assert not contest.control.false_difference
        assert contest.control.verdict.interval.ratio == pytest.approx(1, abs=0.01)


def test_a_false_difference_is_called_one(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    begin_run(store, "aa")
    players = [Player("pytorch", 2e-3), Player("pytorch#2", 2.4e-3, control_of="pytorch")]
    write_contest(store, "aa", "fashion-mlp", players, {"name": "x", "origin": "original"}, random.Random(3))  # noqa: S311
    control = summarise(store.run()).contests[0].control
    assert control.false_difference
    assert control.verdict.finding is Finding.FASTER
    assert "false difference" in control_sentence(control) and "1.2" in control_sentence(control)


def test_a_ranking_ends_with_the_command_that_explains_it(sample_store):
    run = sample_store.run()
    run.request = {"axes": {"batch_size": [32]}}  # in memory only
    contests = summarise(run).contests
    first, second = [row.label for row in contests[0].ranked][:2]
    words = ["rosetta", "explain", "fashion-mlp", first, second, "--set=batch_size=32"]
    assert list(contests[0].why) == words
    run.request = {"axes": {}, "own_axes": {"fashion-mlp": {"batch_size": [32]}, "imdb-gru": {"workers": [2]}}}
    assert list(summarise(run).contests[0].why) == words, "a suite sets its axes workload by workload"
    setting = run.contests[0].setting
    run.contests[0].setting = {**setting, "devices": 2}
    assert summarise(run).contests[0].why == (), "rosetta explain would refuse it"
    run.contests[0].setting = setting
    run.contests[0].entries[:] = run.contests[0].entries[:1]
    assert summarise(run).contests[0].why == ()


def test_every_session_needs_its_own_certificate(sample_store, tmp_path):
    run = sample_store.run()
    first = run.contests[0].entries[0]
    first.blocks[-1].session = 7  # in memory only: the store itself cannot be changed
    changed = entry(summarise(run).contests[0], "pytorch")
    assert changed.rank is None
    assert standing_words(changed) == "not proven: process 7 has no certificate"


def test_a_damaged_certificate_proves_nothing(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    write_sample_run(store)
    with store.engine.begin() as connection:
        connection.execute(text("DROP TRIGGER certificates_no_update"))
        connection.execute(text("UPDATE certificates SET body = replace(body, '0.0001', '0.001')"))
    contest = summarise(store.run()).contests[0]
    assert not contest.ranked
    assert headline(contest).answer == "No contender can be ranked"
    assert all("damaged" in standing_words(row) for row in contest.unranked)


def test_stand_in_data_is_confessed(contests):
    assert "not the real imdb" in warning(contests["imdb-gru, batch size 32"])
    assert warning(contests["fashion-mlp"]) == ""


def test_the_loss_curves_of_proven_contenders_are_compared(contests):
    agreement = contests["fashion-cnn"].agreement
    assert agreement.blocks == 25  # the warm-up is training too
    assert agreement.deviation < 1e-4  # the one whose proof failed is 20% off, and left out


def test_a_loss_that_is_not_finite_leaves_a_gap(sample_store):
    run = sample_store.run()
    run.contests[0].entries[0].blocks[3].loss = float("inf")  # in memory only
    contest = summarise(run).contests[0]
    assert len(entry(contest, "pytorch").curve) == 24
    assert contest.agreement.blocks == 24


def test_the_record_holds_the_rounds_from_which_every_verdict_follows(sample_store):
    """Whoever has the JSON of a run can do the statistics again, and comes to the same sentences."""
    summary = summarise(sample_store.run())
    for contest, record in zip(summary.contests, json.loads(render_json(summary))["contests"], strict=True):
        rounds = {
            row["label"]: {int(number): seconds for number, seconds in row["rounds"].items()}
            for row in record["entries"]
            if row["rank"] is not None
        }
        stopping = record["stopping"]
        turned = [one for row in record["entries"] for one in row["samples"] if one["phase"] == "turn"]
        processes = {one["round"]: one["session"] for one in turned}
        verdicts = compare(rounds, stopping["confidence"], stopping["margin"], processes)
        assert {verdict_sentence(verdict) for verdict in verdicts} == set(verdict_sentences(contest))


@pytest.mark.parametrize(
    ("happened", "state"),
    [
        ([], "not finished"),
        ([Interrupted()], "interrupted"),
        ([Interrupted(), Resumed()], "not finished"),  # it was resumed, and killed
        ([Interrupted(), Resumed(), Finished()], "finished"),
    ],
)
def test_the_last_that_began_or_ended_a_run_is_its_state(sample_store, happened, state):
    run = sample_store.run()
    run.events[:] = [event_of(one, run.id) for one in happened]  # in memory only
    assert summarise(run).state == state


def test_a_round_that_was_dropped_does_not_count(sample_store):
    run = sample_store.run()
    contest = run.contests[0]
    why = Dropped(round=3, why="the machine slept for 60 s")
    run.events.append(event_of(why, run.id, contest))  # in memory only
    assert 3 not in entry(summarise(run).contests[0], "pytorch").rounds
    assert 4 in entry(summarise(run).contests[0], "pytorch").rounds


def in_one_process(contest):
    """Let all rounds be one process's, in memory only: what is odd is sought within each."""
    for block in (block for one in contest.entries for block in one.blocks):
        block.session = 1


def test_of_a_contender_that_drifts_nothing_is_said_with_confidence(sample_store):
    run = sample_store.run()
    slow = next(entry for entry in run.contests[0].entries if entry.label == "keras[tensorflow]")
    before = summarise(run).contests[0]
    assert not before.oddities
    for block in slow.blocks:
        block.elapsed_s *= 1.05**block.round  # in memory only
    in_one_process(run.contests[0])
    contest = summarise(run).contests[0]
    oddity = next(told for told in oddity_sentences(contest) if told.startswith("keras[tensorflow] got slower by"))
    for verdict in contest.verdicts:
        doubted = "keras[tensorflow]" in (verdict.faster, verdict.slower)
        assert verdict.finding is Finding.OPEN or not doubted
        assert (doubts_words(verdict.doubts) == "There is a doubt about keras[tensorflow].") == doubted
    assert any("no verdict" in sentence and "a doubt about" in sentence for sentence in verdict_sentences(contest))
    assert not any(oddity in sentence for sentence in verdict_sentences(contest)), "it is told once, not in every pair"


def test_where_pairs_are_few_each_says_what_was_odd(sample_store):
    run = sample_store.run()
    in_one_process(run.contests[0])
    verdicts = summarise(sample_store.run()).contests[0].verdicts
    contest = measured_contests(run)[0]
    rounds = {one.entry.label: one.rounds for one in contest.entries if not one.entry.control_of}
    rounds["jax"] = {number: seconds * 1.05**number for number, seconds in rounds["jax"].items()}
    turns = [block for one in contest.entries for block in one.turns]
    seen = seen_in(turns, rounds, (), 0.02)
    few = [one for one in cast_doubts(verdicts[:FEW_PAIRS], seen) if "jax" in (one.faster, one.slower)]
    assert few and all("jax got slower by" in doubts_words(one.doubts) for one in few)
    many = [one for one in cast_doubts(verdicts, seen) if "jax" in (one.faster, one.slower)]
    assert len(verdicts) > FEW_PAIRS
    assert {doubts_words(one.doubts) for one in many} == {"There is a doubt about jax."}


def test_what_is_open_says_what_would_decide_it(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    begin_run(store, "open")
    players = [Player("pytorch", 2e-3, rounds=8), Player("jax", 2.002e-3, rounds=8)]
    write_contest(store, "open", "fashion-mlp", players, {"name": "x", "origin": "original"}, random.Random(4))  # noqa: S311
    run = store.run()
    run.contests[0].stopping = {**run.contests[0].stopping, "margin": 0.002}  # in memory only
    (sentence,) = verdict_sentences(summarise(run).contests[0])
    assert "not enough data" in sentence
    assert "rounds would decide it" in sentence


def test_fresh_processes_show_their_own_spread(sample_store):
    run = sample_store.run()
    for entry in run.contests[0].entries:
        for first in list(entry.certifications):
            again = Certification(entry_id=entry.id, certificate_id=first.certificate_id, session=2)
            again.certificate = first.certificate
            entry.certifications.append(again)
        for block in entry.blocks:
            block.session = 1 + (block.round > 6)  # in memory only
            if entry.label == "pytorch" and block.session == 2:
                block.elapsed_s *= 1.1
    spreads = dict(summarise(run).contests[0].spreads)
    assert spreads["pytorch"].sessions == 2
    assert 0.05 < spreads["pytorch"].between.value < 0.1, "10% between two processes"
    assert spreads["mxnet-gluon"].between.value < 0.02


def test_what_processes_keep_open_says_how_many_fresh_ones_would_decide_it(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    begin_run(store, "fresh")
    players = [Player("jax", 2e-3), Player("pytorch", 4e-3)]
    write_contest(store, "fresh", "fashion-mlp", players, {"name": "x", "origin": "original"}, random.Random(4))  # noqa: S311
    run = store.run()
    labels = [entry.label for entry in run.contests[0].entries]
    in_one_process(run.contests[0])
    alone = summarise(run).contests[0]
    assert headline(alone).evidence.count("One process of each was measured") == 1
    assert "processes that differ by 13%" in headline(alone).evidence
    widest = alone.verdicts[0].interval
    assert widest.high / widest.low > 1.5, "however steady its rounds"
    assert "jax is faster than pytorch by 2" in verdict_sentences(alone)[0]
    for entry in run.contests[0].entries:
        for first in list(entry.certifications):
            again = Certification(entry_id=entry.id, certificate_id=first.certificate_id, session=2)
            again.certificate = first.certificate
            entry.certifications.append(again)
        for block in entry.blocks:
            block.session = 1 + (block.round > 6)  # in memory only
            if entry.label == "pytorch" and block.session == 2:
                block.elapsed_s *= 1.1
    two = summarise(run).contests[0]
    assert "One process of each" not in headline(two).evidence
    assert "assume that processes differ by about 13%, since 2 of each say too little" in headline(two).evidence
    assert "jax is faster than pytorch by 2" in verdict_sentences(two)[0], "as one process of each says, too"
    for block in run.contests[0].entries[labels.index("pytorch")].blocks:
        block.elapsed_s *= 0.6
    nearer = summarise(run).contests[0]
    assert "not enough data" in verdict_sentences(nearer)[0], "two processes that differ by 10% say little of others"
    assert "fresh processes would decide it" in verdict_sentences(nearer)[0]


def test_contenders_without_enough_common_rounds_have_no_relative_time(sample_store):
    run = sample_store.run()
    for block in run.contests[0].entries[0].blocks:
        block.round += 100  # in memory only
    row = entry(summarise(run).contests[0], "pytorch")
    assert row.rank == 1 and row.relative is None and row.step.rounds == 12


def test_only_settings_that_must_agree_are_marked(contests):
    rows = {row.name: row for row in contests["fashion-cnn"].settings}
    assert rows["threads"].differs
    assert not rows["device"].differs
    cnn = contests["fashion-cnn"].entries
    compiled = [replace(cnn[0], settings={"mode": "compiled", "device": "CPU"}), *cnn[1:]]
    assert not any(row.differs for row in setting_rows(compiled) if row.name in ("mode", "device"))


def test_costs_stand_apart(contests):
    keras = entry(contests["fashion-mlp"], "keras[tensorflow]").costs
    assert (keras.import_s.value, keras.first_step_s.value, keras.import_s.times) == (6.1, 1.4, 1)
    assert keras.cpu_cores == pytest.approx(1.8)
    evaluation = entry(contests["imdb-gru, batch size 32"], "pytorch").costs.evaluate_per_1000_s
    assert evaluation.value == pytest.approx(0.31 * 14 / 10) and evaluation.times == 3


def test_contests_of_one_workload_are_told_apart_by_what_differs(sample_store):
    run = sample_store.run()
    run.contests[1].workload = run.contests[0].workload
    run.contests[1].setting = {**run.contests[1].setting, "batch_size": 256}
    assert [contest.name for contest in summarise(run).contests][:2] == [
        "fashion-mlp, batch size 32",
        "fashion-mlp, batch size 256",
    ]


def test_an_interrupted_run_and_an_empty_one_have_a_summary(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    begin_run(store, "empty", command=["rosetta", "run"])
    summary = summarise(store.run())
    assert summary.state == "not finished" and summary.contests == ()


def test_a_deviation_where_none_is_allowed_uses_all_of_the_tolerance():
    assert CheckSummary("samples", None, None, 1.0, 0.0, False).share == float("inf")
    assert CheckSummary("samples", None, None, 0.0, 0.0, True).share == 0
