"""Claims about libraries as shipped are judged by whole trainings: the ratio of their times, over seeds."""

import pytest
from test_judge import HERE, claim
from trained_runs import paced, trained_run

from rosettabench.errors import UsageError
from rosettabench.published.asked import claims_asking
from rosettabench.published.claim import all_claims, read_claims
from rosettabench.published.judge import judge
from rosettabench.published.summary import summarise_whole
from rosettabench.report.words.claim import outcome_words
from rosettabench.report.words.note import note_words
from rosettabench.summary.study import ClaimFinding


def judged(folder, name, times, **more):
    return judge(claim(name), [summarise_whole(trained_run(folder, times, **more))], HERE)


AS_PUBLISHED = {42: (10.0, 44.0), 43: (11.0, 49.5), 44: (10.5, 47.0)}


def test_the_sum_over_sets_is_judged_and_says_how_many_there_were(tmp_path):
    outcome = judged(tmp_path, "D1", {"hospital": AS_PUBLISHED, "m1_yearly": dict.fromkeys(AS_PUBLISHED, (1.0, 4.5))})
    assert outcome.finding is ClaimFinding.OPEN, "two sets of 41 confirm nothing"
    (part,) = outcome.parts
    assert part.measurement.value == pytest.approx(4.46, rel=0.02)
    assert part.measurement.low < part.measurement.value < part.measurement.high
    assert "Over 2 of 41 sets" in outcome_words(outcome) and "with 3 seeds" in outcome_words(outcome)
    assert "trained for 2 of 100 epochs" in outcome_words(outcome)


def test_another_factor_refutes_it(tmp_path):
    times = {seed: (10.0, 15.0 + seed / 100) for seed in (42, 43, 44)}
    assert judged(tmp_path, "D1", {"hospital": times}).finding is ClaimFinding.FAILS
    (part,) = judged(tmp_path / "whole", "D1", {"hospital": times}, epochs=100).parts
    assert [*map(note_words, part.measurement.remarks)] == ["over 1 of 41 sets", "with 3 seeds"]


def test_every_set_is_a_part_of_its_own(tmp_path):
    times = {"hospital": AS_PUBLISHED, "m1_yearly": {42: (1.0, 1.0), 43: (1.0, 1.02)}}
    outcome = judged(tmp_path, "D2", times)
    found = {part.name: part.finding for part in outcome.parts}
    assert found["deepar-monash, series hospital"] is ClaimFinding.HOLDS
    assert found["deepar-monash, series m1_yearly"] is ClaimFinding.FAILS
    assert sum(finding is ClaimFinding.OPEN for finding in found.values()) == 39
    assert outcome.finding is ClaimFinding.FAILS


def test_one_seed_is_no_interval(tmp_path):
    outcome = judged(tmp_path, "D1", {"hospital": {42: (1.0, 4.46)}})
    assert outcome.finding is ClaimFinding.OPEN
    assert outcome.parts[0].measurement.value == pytest.approx(4.46)
    assert "An interval needs two seeds" in outcome_words(outcome)


def test_a_set_beyond_the_study_and_one_library_alone_say_nothing(tmp_path):
    outcome = judged(tmp_path, "D1", {"ausgrid_weekly": AS_PUBLISHED, "hospital": {42: (1.0, None), 43: (1.0, None)}})
    assert outcome.finding is ClaimFinding.OPEN
    assert "no run has trained both" in outcome_words(outcome).lower()


def test_trainings_of_a_pilot_do_not_count(tmp_path):
    pace = paced("hospital", 9, 2)
    outcome = judged(tmp_path, "D1", {"hospital": AS_PUBLISHED}, pace=pace, budget=60.0)
    assert "trained for 9 of 100 epochs" in outcome_words(outcome)


def test_made_up_series_are_told(tmp_path):
    assert "stand-in data" in outcome_words(judged(tmp_path, "D1", {"hospital": AS_PUBLISHED}, origin="stand-in"))


def test_no_contest_is_asked_for_them():
    setting = {"series": "hospital"}
    asked = [one for one in all_claims() if one.study == "deepar-2024"]
    shipped = [one for one in asked if one.parts[0].shipped]
    assert not claims_asking(shipped, "deepar-monash", setting, HERE)


def test_a_claim_on_them_names_a_set(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(
        '[[claims]]\nid = "X"\nstudy = "s"\nsays = "x"\npublished = "1"\nworkload = "w"\nshipped = true\n'
        'quantity = "time ratio"\na = { frameworks = ["a"] }\nb = { frameworks = ["b"] }\nexpected = { around = 1 }\n'
    )
    with pytest.raises(UsageError, match="shipped takes a set of series"):
        read_claims(path)
