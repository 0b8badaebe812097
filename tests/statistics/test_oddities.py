"""What is odd is told, and what is only noise is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.oddities import (
    Drift,
    Gap,
    Impossible,
    Interruption,
    drifts,
    gaps,
    oddities,
    oddities_by_process,
    shifts,
)


def contest(seed, rounds=30, spread=0.02, drift=0.0, labels="abc"):
    """Contenders on a machine whose speed wanders; the last one changes by `drift` from first to last round."""
    generator = np.random.default_rng(seed)
    machine_change = np.cumsum(generator.normal(0, 0.1, rounds))
    return {
        label: {
            n: float(
                np.exp(machine_change[n] + generator.normal(0, spread) + (label == labels[-1]) * drift * n / rounds)
            )
            for n in range(rounds)
        }
        for label in labels
    }


@pytest.mark.parametrize("labels", ["abc", "ab"])
def test_a_contender_that_leaks_is_told_from_a_machine_that_drifts(labels):
    (found,) = drifts(contest(1, drift=0.15, labels=labels), 0.02)
    assert found.contender == labels[-1]
    assert found.change == pytest.approx(0.16, abs=0.06)
    assert "slower" in found.sentence
    assert found.against == ("the others" if labels == "abc" else "a")


def test_noise_is_seldom_called_a_drift():
    assert sum(bool(drifts(contest(seed, spread=0.1), 0.02)) for seed in range(300)) <= 9


def of_processes(seed, drifting, spread, drift=0.0, rounds=16, processes=5):
    """Return the rounds of several processes of three contenders, and their processes; one drifts in some of them."""
    parts = [contest(100 * seed + one, rounds, spread, drift * (one in drifting)) for one in range(processes)]
    joined = {
        label: {rounds * one + n: seconds for one, part in enumerate(parts) for n, seconds in part[label].items()}
        for label in "abc"
    }
    return joined, {number: number // rounds + 1 for number in joined["a"]}


def drifts_of(contest):
    """Return the drifts of a contest over several processes."""
    return [one for one in oddities_by_process(*contest, 0.02) if isinstance(one, Drift)]


@pytest.mark.parametrize("drifting", [(0,), (3,), (1, 2), range(5)])
def test_a_drift_in_any_process_is_told(drifting):
    found = drifts_of(of_processes(7, drifting, spread=0.02, drift=0.15))
    assert [one.contender for one in found] == ["c"] * len(drifting)
    assert all(one.change == pytest.approx(0.15, abs=0.08) for one in found)


def test_a_drift_within_the_margin_is_none():
    assert drifts(contest(1, spread=0.0001, drift=0.01), 0.02) == []


def test_an_interrupted_block_is_told_once():
    rounds = contest(2)
    rounds["b"][7] *= 400
    (found,) = oddities(rounds, 0.02)
    assert isinstance(found, Interruption)
    assert (found.contender, found.round) == ("b", 7)
    assert "round 7" in found.sentence


@pytest.mark.parametrize("wrong", [0.0, -1e-3, float("nan"), float("inf")])
def test_impossible_times_are_told_and_break_nothing(wrong):
    rounds = contest(3)
    rounds["a"][4] = wrong
    (found,) = oddities(rounds, 0.02)
    assert isinstance(found, Impossible)
    assert "clock" in found.sentence


def test_a_suspended_machine_and_a_clock_set_back():
    moments = {number: 2.0 * number + 3600 * (number >= 5) - 500 * (number >= 9) for number in range(12)}
    assert gaps(moments) == [Gap(5, 3602.0), Gap(9, -498.0)]
    assert "suspended" in gaps(moments)[0].sentence
    assert "went back" in gaps(moments)[1].sentence


@given(st.dictionaries(st.integers(0, 99), st.floats(allow_nan=True), max_size=20), st.floats(0, 1))
def test_whatever_the_times_the_answer_is_sentences(rounds, margin):
    odd = oddities({"a": rounds, "b": dict.fromkeys(rounds, 1.0)}, margin)
    assert all(one.sentence.endswith((".", "?")) for one in odd)


def test_steady_contests_are_not_odd():
    assert sum(bool(oddities(contest(seed), 0.02)) for seed in range(100)) <= 6
    assert oddities({}, 0.02) == oddities({"a": {}}, 0.02) == gaps({}) == []


@pytest.mark.parametrize("labels", ["abc", "ab"])
def test_a_slow_phase_of_one_contender_is_told_and_one_of_the_machine_is_not(labels):
    rounds = contest(5, labels=labels)
    assert shifts(rounds, 0.02) == []
    for number in range(10, 18):
        rounds[labels[-1]][number] *= 1.5
    (found,) = shifts(rounds, 0.02)
    assert (found.contender, found.first, found.last) == (labels[-1], 10, 17)
    assert found.times == pytest.approx(1.5, rel=0.05)
    assert "in rounds 10 to 17" in found.sentence
    for number in range(10, 18):
        for label in labels[:-1]:
            rounds[label][number] *= 1.5
    assert shifts(rounds, 0.02) == []
