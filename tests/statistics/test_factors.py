"""Factors multiply to the whole ratio, whatever the parts are; and ratios join to that of the sums behind them."""

from itertools import permutations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.factors import factors, pool_ratios
from rosettabench.statistics.interval import Interval

SECONDS = st.floats(1e-3, 1e4)
PARTS = st.fixed_dictionaries(dict.fromkeys(("input", "checkpoints", "start", "steps"), SECONDS))


@given(PARTS, PARTS, st.sampled_from([*permutations(("input", "checkpoints", "start"))]))
def test_they_multiply_to_the_whole_in_every_order(slow, fast, order):
    found, left = factors(slow, fast, order)
    assert [*found] == [*order]
    assert left == pytest.approx(slow["steps"] / fast["steps"], rel=1e-6)
    assert prod(found.values()) * left == pytest.approx(sum(slow.values()) / sum(fast.values()))


def test_a_part_that_costs_both_the_same_hides_part_of_the_difference():
    found, left = factors({"input": 1.0, "steps": 8.0}, {"input": 1.0, "steps": 2.0}, ["input"])
    assert (found["input"], left) == (pytest.approx(3 / 4), 4)
    found, left = factors({"input": 4.0, "steps": 2.0}, {"input": 1.0, "steps": 2.0}, ["input"])
    assert (found["input"], left) == (2, 1)


def test_nothing_left_is_an_error():
    with pytest.raises(ValueError, match="nothing remains when input"):
        factors({"input": 1.0}, {"input": 1.0}, ["input"])


@given(st.lists(st.tuples(SECONDS, SECONDS, st.floats(0, 0.5)), min_size=1, max_size=9))
def test_ratios_join_to_that_of_the_sums(terms):
    ratios = [Interval(a / b, a / b * (1 - half), a / b * (1 + half), 0.95, 12) for a, b, half in terms]
    joined = pool_ratios(ratios, [b for _, b, _ in terms])
    assert joined.ratio == pytest.approx(sum(a for a, _, _ in terms) / sum(b for _, b, _ in terms))
    assert joined.low <= joined.ratio * (1 + 1e-9) and joined.ratio <= joined.high * (1 + 1e-9)
    assert joined.steady
