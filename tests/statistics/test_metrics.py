"""Metrics of outputs, against numbers worked out by hand."""

import numpy as np
import pytest

from rosettabench.catalogue.workload import METRIC_NAMES
from rosettabench.statistics.metrics import METRICS

TWO = np.array([[0.0, np.log(3.0)], [np.log(3.0), 0.0]])  # probabilities 1/4 and 3/4, and the other way round


def test_a_catalogue_names_those_that_there_are():
    assert tuple(METRICS) == METRIC_NAMES


def test_classes():
    assert METRICS["accuracy"](TWO, np.array([1, 1])) == 0.5
    assert METRICS["perplexity"](TWO, np.array([1, 0])) == pytest.approx(4 / 3)
    assert METRICS["perplexity"](TWO, np.array([0, 0])) == pytest.approx((4 * 4 / 3) ** 0.5)
    assert METRICS["perplexity"](TWO + 1e6, np.array([1, 0])) == pytest.approx(4 / 3)


def test_classes_at_each_position():
    outputs, labels = np.stack([TWO, TWO]), np.array([[1, 0], [1, 1]])
    assert METRICS["accuracy"](outputs, labels) == 0.75
    assert METRICS["perplexity"](outputs, labels) == pytest.approx(((4 / 3) ** 3 * 4) ** 0.25)


def test_numbers():
    outputs, labels = np.array([[1.0], [4.0]]), np.array([[2.0], [2.0]])
    assert METRICS["mean squared error"](outputs, labels) == 2.5
    assert METRICS["mean absolute error"](outputs, labels) == 1.5


@pytest.mark.parametrize("name", METRICS)
def test_shapes_that_do_not_fit(name):
    assert METRICS[name](TWO, np.zeros((2, 3, 1), int)) is None
