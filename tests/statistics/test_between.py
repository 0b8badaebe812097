"""Contests of one process of each, or of few: their intervals hold the ratio of contenders, not of these processes."""

import numpy as np
import pytest
from scipy.stats import t
from tiers import slow

from rosettabench.statistics.between import PRIOR, SpreadBetween, reach_over_processes, widen_interval
from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.statistics.ranking import LOOKS, compare, pairs, relative_time
from rosettabench.statistics.verdict import Finding

CONTESTS = 400
ROUNDS = 16
ONE = dict.fromkeys(range(1, ROUNDS + 1), 1)


def contest(draw, truth):
    """One process of each of two contenders, which differ from others of theirs by the prior."""
    born = draw.normal(0, PRIOR.deviation / np.sqrt(2), 2)
    machine_change = draw.normal(0, 0.1, ROUNDS)
    times = np.exp(machine_change + born[:, None] + draw.normal(0, 0.03, (2, ROUNDS))) * np.array([[1.0], [truth]])
    return [dict(zip(ONE, map(float, row), strict=True)) for row in times]


@pytest.mark.parametrize("truth", [slow(1.0), 1.5])
def test_intervals_of_one_process_hold_the_ratio_of_the_contenders(truth):
    draw = np.random.default_rng([3, round(10 * truth)])
    held, alone = 0, 0
    for _ in range(CONTESTS):
        a, b = contest(draw, truth)
        found, narrow = relative_time(a, b, ONE, 0.95), relative_time(a, b, {}, 0.95)
        held += found.low <= truth <= found.high
        alone += narrow.low <= truth <= narrow.high
    assert held / CONTESTS >= 0.95
    assert alone / CONTESTS < 0.5, "the rounds alone speak of these processes"


def test_the_control_of_one_process_is_seldom_false():
    draw = np.random.default_rng(4)
    false = 0
    for _ in range(CONTESTS):
        a, b = contest(draw, 1.0)
        (verdict,) = compare({"a": a, "a#2": b}, 0.95, 0.02, ONE)
        false += verdict.finding is Finding.FASTER
    assert false / CONTESTS <= 0.05


def test_the_reach_of_rounds_and_of_processes_add_up():
    found = widen_interval(Interval(1.5, 1.5, 1.5, 0.95, 16), SpreadBetween(0.13, 10**6), 0.95)
    assert np.log([1.5 / found.low, found.high / 1.5]) == pytest.approx([1.96 * 0.13] * 2, rel=1e-3)
    wide = widen_interval(Interval(1.5, 1.0, 1.8, 0.95, 16), SpreadBetween(0.0, 12), 0.95)
    assert (wide.low, wide.high) == pytest.approx((1.0, 1.8))
    few = widen_interval(Interval(1.5, 1.5, 1.5, 0.95, 16), SpreadBetween(0.13, 4), 0.95)
    assert few.high > found.high, "what rests on little is wider"


def test_a_spread_counts_by_its_degrees_of_freedom():
    assert SpreadBetween(0.1, 4).pooled(SpreadBetween(0.1, 12)) == SpreadBetween(pytest.approx(0.1), 16)
    assert SpreadBetween(0.0, 3).pooled(SpreadBetween(0.2, 1)).deviation == pytest.approx(0.1)


@pytest.mark.parametrize("processes", [2, 3, 4, 5, 10])
@pytest.mark.parametrize("tests", [1, 30, 210])
def test_an_interval_over_processes_reaches_no_further_than_either_of_two(processes, tests):
    """They divide the permitted error: what is measured alone has nine tenths of it."""
    for deviation in (0.001, 0.03, 0.1, 0.3):
        measured = SpreadBetween(deviation, processes - 1)
        found = reach_over_processes(measured, processes, 0.95, tests)
        alone = t.ppf(1 - 0.045 / tests / 2, processes - 1) * deviation
        spread = np.sqrt(((processes - 1) * deviation**2 + 12 * 0.13**2) / (processes + 11))
        pooled = t.ppf(1 - 0.005 / tests / 2, processes + 11) * spread
        assert found.length == pytest.approx(min(alone, pooled) / np.sqrt(processes))
        assert found.assumed == (pooled < alone)


def test_a_few_processes_of_many_contenders_tell_more_than_one():
    """By four processes alone, intervals for 105 pairs reach ten times as far as the processes differ."""
    tests = LOOKS * pairs(15)
    four, one = SpreadBetween(0.1, 3), PRIOR.reach(1, 0.95, pairs(15))
    assert four.reach(4, 0.95, tests) > 10 * four.deviation > one
    assert reach_over_processes(four, 4, 0.95, tests).length < 0.65 * one
    usual = SpreadBetween(0.03, 4)
    assert not reach_over_processes(usual, 5, 0.95, LOOKS).assumed, "five of two contenders speak for themselves"


def test_who_asks_for_the_rounds_alone_gets_them():
    """A contest of one process stops by its rounds: more of them could not tell what other processes do."""
    a, b = contest(np.random.default_rng(5), 1.5)
    assert relative_time(a, b, {}, 0.95) == ratio_interval([b[one] / a[one] for one in a], 0.95)
