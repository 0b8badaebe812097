"""Rates of right and wrong verdicts, from verdicts whose truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.calibration import KnownContest, calibrate, rate
from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.statistics.verdict import judge


def trial(low, high, truth=1.0):
    """A trial in which `b` takes between `low` and `high` times as long as `a`."""
    return KnownContest(judge("a", "b", Interval((low * high) ** 0.5, low, high, 0.95, 10), 0.02), "b", truth)


def test_what_counts_as_told_found_and_covered():
    assert (trial(0.99, 1.01).differs, trial(0.99, 1.01).covered) == (False, True)
    assert (trial(1.03, 1.07, 1.05).differs, trial(1.03, 1.07, 1.05).found) == (True, True)
    wrong = trial(0.90, 0.95, 1.05)
    assert (wrong.differs, wrong.found, wrong.covered) == (True, False, False), "a difference, in the wrong direction"
    assert trial(1.06, 1.08, 1.05).covered is False


def test_contests_between_equals_and_with_planted_work():
    """On simulated times the rates are what they must be: the plant is found, equals are not told apart."""
    noise = np.random.default_rng(3)

    def contest(truth):
        ratios = truth * np.exp(noise.normal(0, 0.02, 20))
        return KnownContest(judge("a", "b", ratio_interval(list(ratios)), 0.02), "b", truth)

    equal = calibrate([contest(1.0) for _ in range(60)])
    planted = calibrate([contest(1.05) for _ in range(60)])
    assert equal.differs.share <= 0.1
    assert equal.covered.share >= 0.9
    assert planted.found.share >= 0.95
    assert 0.002 < equal.spread < 0.01, "the noise of a mean of twenty rounds"


def test_without_any_interval_there_is_nothing_to_say():
    assert calibrate([]) is None
    assert calibrate([KnownContest(judge("a", "b", None, 0.02), "b", 1.0)]) is None


@pytest.mark.parametrize(("happened", "of", "low", "high"), [(0, 30, 0, 0.1157), (5, 100, 0.0164, 0.1128)])
def test_the_interval_of_a_rate_is_clopper_and_pearsons(happened, of, low, high):
    """The values are those of the tables of the binomial distribution."""
    found = rate(happened, of, 0.95)
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-4)


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_rate_lies_in_its_interval(happened, missed):
    if happened + missed:
        found = rate(happened, happened + missed, 0.95)
        assert 0 <= found.low <= found.share <= found.high <= 1
