"""Whether numbers are uniform and independent: right ones pass, and each kind of wrong ones is seen."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm, t

from rosettabench.statistics.student_t import distribution_function
from rosettabench.statistics.uniformity import common_part, correlation, off_uniform, shared_part, standard_errors

SHAPE = (16, 80, 20)


@pytest.fixture
def random():
    return np.random.default_rng(0)


def scores(uniform):
    return sqrt(12) * (uniform - 0.5)


def test_a_chance_in_standard_errors():
    assert standard_errors(2 * norm.sf(5.3)) == pytest.approx(5.3)
    assert standard_errors(2.0) == 0
    assert 37 < standard_errors(0.0) < 38, "it stays a number"


def test_uniform_and_independent_numbers_pass(random):
    """Of 200 repetitions, each measure is beyond 2.81 standard errors in one, 0.5%, on average; six are 1 in 10,000."""
    beyond = {"uniform": 0, "paths": 0, "series": 0, "correlation": 0}
    for _ in range(200):
        one = random.random((16, 20, 5))
        beyond["uniform"] += off_uniform(one.reshape(-1, 5).T) > 2.81
        beyond["paths"] += common_part(scores(one), 1) > 2.81
        beyond["series"] += common_part(scores(one), 0) > 2.81
        beyond["correlation"] += correlation(scores(one[:8]), scores(one[8:])) > 2.81
    assert max(beyond.values()) <= 6, beyond


def test_another_distribution_is_seen(random):
    normal = random.standard_normal(30_000)
    assert off_uniform(norm.cdf(normal)[None]) < 3
    assert off_uniform(t.cdf(normal, 2.8)[None]) > 8


def test_one_row_of_many_is_seen(random):
    rows = random.random((24, 1000))
    rows[7] = rows[7] ** 1.5
    assert off_uniform(rows) > 8 and off_uniform(np.delete(rows, 7, 0)) < 3


@pytest.mark.parametrize("axis", [0, 1])
def test_numbers_that_are_shared_are_seen(random, axis):
    one = random.random(SHAPE)
    shared = np.broadcast_to(one.take([0], axis), SHAPE)
    assert common_part(scores(shared), axis) > 30 and shared_part(scores(shared), axis) == pytest.approx(1, abs=0.1)
    assert abs(shared_part(scores(shared), 1 - axis)) < 0.1 and abs(shared_part(scores(one), axis)) < 0.01


def test_numbers_that_cancel_are_seen(random):
    one = random.random(SHAPE)
    assert common_part(scores(np.concatenate([one, 1 - one], 1)), 1) > 30


def test_a_correlation_in_one_column_is_seen(random):
    one, other = random.random((2, 600, 20))
    assert correlation(scores(one), scores(other)) < 3
    other[:, 3] = (one[:, 3] + other[:, 3]) % 1 * 0.5 + one[:, 3] * 0.5
    assert correlation(scores(one), scores(other)) > 5.3


def test_nothing_to_correlate_is_nothing_amiss():
    assert correlation(np.zeros((5, 0)), np.zeros((5, 0))) == 0


def test_students_distribution_function():
    """With one degree of freedom it is Cauchy's: a quarter, a half and three quarters at one width around."""
    parameters = np.broadcast_to([1.0, 5.0, 2.0], (3, 3))
    assert distribution_function(parameters, np.array([3.0, 5.0, 7.0])) == pytest.approx([0.25, 0.5, 0.75])
