"""The interval covers what it should, and a stop at a precision does not spoil it."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.interval import FEWEST_ROUNDS, ratio_interval
from rosettabench.statistics.looks import judgements, looks

positive = st.floats(0.05, 20)


@given(st.lists(positive, min_size=FEWEST_ROUNDS, max_size=40))
def test_inverse_ratios_give_the_inverse_interval(ratios):
    straight, inverse = ratio_interval(ratios), ratio_interval([1 / ratio for ratio in ratios])
    assert inverse.ratio == pytest.approx(straight.inverse().ratio, rel=1e-9)
    assert inverse.low == pytest.approx(straight.inverse().low, rel=1e-6, abs=1e-300)


@given(st.lists(positive, min_size=FEWEST_ROUNDS, max_size=40), positive)
def test_scaling_one_contender_scales_the_interval(ratios, factor):
    before, after = ratio_interval(ratios), ratio_interval([ratio * factor for ratio in ratios])
    assert after.ratio == pytest.approx(before.ratio * factor, rel=1e-9)
    assert after.precision == pytest.approx(before.precision, rel=1e-6, abs=1e-9)


@given(st.lists(positive, max_size=FEWEST_ROUNDS - 1))
def test_too_few_rounds_give_no_interval(ratios):
    assert ratio_interval(ratios) is None


def test_a_burst_in_one_round_does_not_decide():
    quiet = [1.30, 1.31, 1.32, 1.31, 1.30, 1.31, 1.32, 1.31, 1.30, 1.31]
    hit = [*quiet[:-1], 13.0]
    assert ratio_interval(hit).ratio == pytest.approx(1.31, abs=0.01)
    assert ratio_interval(hit).high < 1.36


def noise(generator, kind, size):
    """Logarithms of block-time ratios: what pairs of blocks of equal contenders look like on a shared machine."""
    if kind == "normal":
        return generator.normal(0, 0.05, size)
    if kind == "heavy tails":
        return 0.03 * generator.standard_t(2, size)
    burst = generator.random(size) < 0.1
    return generator.normal(0, 0.03, size) + burst * generator.exponential(0.5, size) * generator.choice([-1, 1], size)


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "bursts"])
@pytest.mark.parametrize("rounds", [6, 12, 30])
def test_coverage_is_what_is_claimed(kind, rounds):
    generator, trials = np.random.default_rng(20261120), 1500
    true = 1.31
    covered = 0
    for logs in noise(generator, kind, (trials, rounds)):
        interval = ratio_interval(list(true * np.exp(logs)))
        covered += interval.low <= true <= interval.high
    standard_error = sqrt(0.95 * 0.05 / trials)
    assert covered / trials > 0.95 - 3 * standard_error


def stopped_contests(kind, planned, shares, precision=0.03, trials=600):
    """Share of contests between equals whose interval leaves out 1."""
    generator, wrong = np.random.default_rng(7), 0
    for logs in noise(generator, kind, (trials, planned[-1])):
        for rounds in planned:
            interval = ratio_interval(list(np.exp(logs[:rounds])), 0.95, shares)
            differs = not interval.low <= 1 <= interval.high
            if interval.precision <= precision or differs or rounds == planned[-1]:
                wrong += differs
                break
    return wrong / trials


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "bursts"])
def test_planned_looks_keep_the_false_difference_rate(kind):
    assert stopped_contests(kind, looks(5, 40), judgements(5, 40)) <= 0.05


def test_looking_after_every_round_would_not():
    """The mistake that the looks are there to prevent, planted: it must show."""
    assert stopped_contests("normal", range(6, 41), 1) > 0.10


@given(st.integers(1, 30), st.integers(0, 100))
def test_looks_rise_to_the_last_round(fewest, more):
    most = max(fewest, FEWEST_ROUNDS) + more
    planned = looks(fewest, most)
    assert planned == sorted(set(planned))
    assert planned[-1] == most
    assert planned[0] >= FEWEST_ROUNDS
    assert judgements(fewest, most) == len(planned) + 1


def test_the_interval_is_the_textbook_one():
    """Wilcox's formula, worked by hand for ten values: the winsorised sample is 3 3 3 4 5 6 7 8 8 8."""
    logs = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    interval = ratio_interval([float(np.exp(value)) for value in logs])
    winsorised = np.array([3, 3, 3, 4, 5, 6, 7, 8, 8, 8], float)
    reach = 2.570581835636314 * winsorised.std(ddof=1) / (0.6 * sqrt(10))  # t for 95% and 5 degrees of freedom
    assert log(interval.ratio) == pytest.approx(5.5)
    assert log(interval.high) - log(interval.ratio) == pytest.approx(reach)
