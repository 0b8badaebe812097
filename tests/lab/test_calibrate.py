"""Contests whose answer is known: the planted work is there, exactly, and found."""

import pytest
from commands import NUMPY, finish, turns

pytestmark = pytest.mark.environment


@pytest.mark.slow
def test_planted_work_is_done_and_found(rosetta, store):
    words = ("calibrate", "fashion-mlp", "-f", NUMPY, "--planted", "0.5", "--rounds", "12", "--round-seconds", "0.3")
    words += ("--processes", "1")
    code, out, err = finish(rosetta(*words, "--contests", "2"))
    assert code == 0, err
    run = store().run()
    assert len(run.contests) == 2
    for contest in run.contests:
        plain, again, planted = contest.entries
        assert (again.control_of, planted.control_of) == (plain.label, plain.label)
        assert planted.label.endswith("#3+50%")
        for one, more in zip(turns(plain), turns(planted), strict=True):
            assert more.steps == one.steps, "counted as the same work"
            assert more.samples == one.samples * 1.5, "and is half as much again"
        assert len(turns(plain)) >= 4 * 8
        assert {block.session for block in turns(planted)} == {1}
    assert "2 × equals (A/A)" in out
    assert "2 × 50% more work planted" in out
    assert "2 of 2" in out, "half as much again is found in both contests"
    code, shown, err = finish(rosetta(*words, "--contests", "0"))
    assert code == 0, err
    assert shown == out, "and is told again from the store"


def test_nothing_was_calibrated_yet(answer):
    code, _, err = answer("calibrate", "--contests", "0")
    assert code == 2
    assert "no calibration contests of this kind" in err
