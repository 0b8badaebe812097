"""Claims on sets of time series at equal work: each set by its contest, and the sum over all that were measured."""

from dataclasses import replace

import pytest
from measured_runs import measured_run
from sample_run import Player
from test_judge import HERE, claim

from rosettabench.errors import UsageError
from rosettabench.published.asked import claims_asking
from rosettabench.published.claim import read_claims
from rosettabench.published.judge import judge
from rosettabench.report.words.claim import outcome_words, part_words
from rosettabench.summary.study import ClaimFinding

SERIES_HERE = replace(HERE, written={**HERE.written, "deepar-monash": frozenset(HERE.frameworks)})
FAST, SLOW = "pytorch", "mxnet-gluon:compiled"


def timed(label, truth):
    """A contender with so many rounds that it can be judged as one of 41 parts."""
    return truth if isinstance(truth, Player) else Player(label, truth, rounds=24)


def contests(folder, seconds, **more):
    """A run with a contest for each set: {set: (seconds of a step of PyTorch, of MXNet)}."""
    made = [
        ("deepar-monash", {"series": name}, {FAST: timed(FAST, fast), SLOW: timed(SLOW, slow)})
        for name, (fast, slow) in seconds.items()
    ]
    return measured_run(folder, *made, **more)


def test_the_sum_is_weighted_by_what_the_steps_take(tmp_path):
    run = contests(tmp_path, {"hospital": (1e-3, 3e-3), "m1_yearly": (4e-3, 6e-3)})
    outcome = judge(claim("D3"), [run], SERIES_HERE)
    (part,) = outcome.parts
    assert part.measurement.value == pytest.approx(9 / 5, rel=0.02), "not 2.25, the mean of 3 and 1.5"
    assert part.measurement.low < 1.8 < part.measurement.high
    assert outcome.finding is ClaimFinding.FAILS and "The direction is right" in outcome_words(outcome)
    assert "over 2 of 41 sets" in outcome_words(outcome)
    assert part.measurement.what == "pytorch over mxnet-gluon:compiled"


def test_a_factor_as_published_holds_and_each_set_is_judged_by_itself(tmp_path):
    run = contests(tmp_path, {"hospital": (1e-3, 4.46e-3), "m1_yearly": (1e-3, 1.5e-3)})
    found = {part.name: part for part in judge(claim("D4"), [run], SERIES_HERE).parts}
    hospital, yearly = (found[f"deepar-monash, series {name}"] for name in ("hospital", "m1_yearly"))
    assert hospital.measurement.value == pytest.approx(4.46, rel=0.03)
    assert yearly.measurement.value == pytest.approx(1.5, rel=0.03)
    assert (hospital.finding, yearly.finding) == (ClaimFinding.HOLDS, ClaimFinding.FAILS)
    assert sum("no run has measured" in part_words(part).lower() for part in found.values()) == 39
    alone = contests(tmp_path / "alone", {"hospital": (1e-3, 4.46e-3)})
    assert judge(claim("D3"), [alone], SERIES_HERE).finding is ClaimFinding.OPEN, "one set of 41 confirms nothing"


def test_who_is_not_proven_counts_nowhere(tmp_path):
    failed = Player(SLOW, 9e-3, proof="failed", rounds=24)
    run = contests(tmp_path, {"hospital": (1e-3, 3e-3), "m1_yearly": (1e-3, failed)})
    (part,) = judge(claim("D3"), [run], SERIES_HERE).parts
    assert part.measurement.value == pytest.approx(3, rel=0.02)
    assert "over 1 of 41 sets" in part_words(part)
    alone = contests(tmp_path / "alone", {"m1_yearly": (1e-3, failed)})
    (part,) = judge(claim("D3"), [alone], SERIES_HERE).parts
    assert part.finding is ClaimFinding.OPEN and f"annot be judged: {SLOW}" in part_words(part), (
        "it was measured, and says so"
    )


def test_the_newest_run_with_any_set_counts_and_sets_beyond_the_study_do_not(tmp_path):
    old = contests(tmp_path / "old", {"hospital": (1e-3, 2e-3)}, run_id="old")
    other = contests(tmp_path / "new", {"ausgrid_weekly": (1e-3, 9e-3)}, run_id="new")
    (part,) = judge(claim("D3"), [other, old], SERIES_HERE).parts
    assert (part.measurement.run, part.measurement.value) == ("old", pytest.approx(2, rel=0.02))
    (nothing,) = judge(claim("D3"), [other], SERIES_HERE).parts
    assert nothing.finding is ClaimFinding.OPEN and "on any set" in part_words(nothing)


def test_every_set_is_asked_for():
    asked = [claim(name) for name in ("D1", "D2", "D3", "D4")]
    assert claims_asking(asked, "deepar-monash", {"series": "hospital"}, SERIES_HERE) == {"D3", "D4"}
    assert claims_asking(asked, "deepar-monash", {"series": "ausgrid_weekly"}, SERIES_HERE) == {"D3"}


def test_over_all_series_there_are_times_alone(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(
        '[[claims]]\nid = "X"\nstudy = "s"\nsays = "x"\npublished = "1"\nworkload = "w"\nquantity = "CPU ratio"\n'
        'a = { frameworks = ["a"] }\nb = { frameworks = ["b"] }\nwhere = { series = "all" }\n'
        "expected = { around = 1 }\n"
    )
    with pytest.raises(UsageError, match="over all series there is"):
        read_claims(path)
