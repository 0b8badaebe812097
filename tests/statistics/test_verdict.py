"""Verdicts say what the interval allows; ranks keep together what nobody could part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.report.words.verdict import verdict_sentence
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import compare, rank
from rosettabench.statistics.rounds import ratios
from rosettabench.statistics.verdict import Finding, judge


def interval(low, high):
    return Interval((low * high) ** 0.5, low, high, 0.95, 10)


@pytest.mark.parametrize(
    ("low", "high", "finding"),
    [
        (1.27, 1.35, Finding.FASTER),
        (0.70, 0.80, Finding.FASTER),
        (0.99, 1.01, Finding.EQUIVALENT),
        (1.005, 1.015, Finding.EQUIVALENT),  # surely not equal, and surely too little to matter
        (1.01, 1.05, Finding.FASTER),
        (0.95, 1.05, Finding.OPEN),
        (0.97, 1.019, Finding.OPEN),
    ],
)
def test_findings(low, high, finding):
    assert judge("a", "b", interval(low, high), 0.02).finding is finding


def test_the_faster_one_is_the_one_that_takes_less_time():
    sentence = verdict_sentence(judge("a", "b", interval(1.27, 1.35), 0.02))
    assert sentence == "a is faster than b by 1.31× (95%: 1.27 to 1.35)."
    assert verdict_sentence(judge("a", "b", interval(0.5, 0.5), 0.02)).startswith("b is faster than a by 2.00×")
    assert verdict_sentence(judge("a", "b", None, 0.02)).startswith("a and b: not enough data")


@given(st.floats(0.2, 5), st.floats(0, 1), st.floats(0, 0.2))
def test_swapping_the_pair_swaps_nothing_but_the_names(low, width, margin):
    one, other = interval(low, low * (1 + width)), interval(low, low * (1 + width)).inverse()
    straight, swapped = judge("a", "b", one, margin), judge("b", "a", other, margin)
    assert straight.finding is swapped.finding
    if straight.finding is Finding.FASTER:
        assert (straight.faster, straight.slower) == (swapped.faster, swapped.slower)


def test_only_rounds_that_both_took_part_in_are_paired():
    assert ratios({1: 1.0, 2: 2.0, 4: 4.0}, {2: 3.0, 3: 9.0, 4: 8.0}) == [1.5, 2.0]


def contest(seed, **seconds):
    """Rounds of contenders whose machine drifts threefold while their own noise is 1%."""
    generator = np.random.default_rng(seed)
    machine_change = np.exp(np.cumsum(generator.normal(0, 0.2, 20)))
    return {
        label: {n: mean * machine_change[n] * float(np.exp(generator.normal(0, 0.01))) for n in range(20)}
        for label, mean in seconds.items()
    }


def test_ranks_with_ties_under_drift():
    rounds = contest(1, a=1.0, b=1.0, c=1.5, d=3.0)
    table = rank(rounds, compare(rounds, 0.95, 0.02), 0.95)
    assert {row.label: row.rank for row in table} == {"a": 1, "b": 1, "c": 3, "d": 4}
    assert table[-1].relative.low < 3.0 < table[-1].relative.high


@pytest.mark.slow
def test_a_family_of_equals_is_rarely_parted():
    parted = 0
    for seed in range(200):
        rounds = contest(seed, a=1.0, b=1.0, c=1.0, d=1.0, e=1.0)
        parted += any(verdict.finding is Finding.FASTER for verdict in compare(rounds, 0.95, 0.0))
    assert parted / 200 < 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


@pytest.mark.parametrize(
    ("low", "high", "decided"),
    [
        (1.03, 1.35, True),
        (0.70, 0.97, True),
        (0.99, 1.01, True),
        (1.01, 1.05, False),  # faster, and perhaps by less than matters
        (0.95, 1.05, False),
    ],
)
def test_decided_is_what_lies_on_one_side_of_the_margin(low, high, decided):
    assert judge("a", "b", interval(low, high), 0.02).decided is decided


def test_rounds_that_contradict_each_other_decide_nothing():
    unsteady = Interval(1.3, 1.2, 1.4, 0.95, 30, steady=False)
    assert not judge("a", "b", unsteady, 0.02).decided
    assert not judge("a", "b", None, 0.02).decided


def test_a_time_that_no_clock_measured_is_not_paired():
    assert ratios({1: 1.0, 2: 2.0, 3: -1.0}, {1: 0.0, 2: 3.0, 3: 8.0}) == [1.5]
