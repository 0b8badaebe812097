"""The area under the ROC curve, against its slow definition, with ties, and where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.auc import mean_auc, roc_auc


def by_pairs(scores, labels):
    """The definition: over all pairs of one with the label and one without, how often it scores higher."""
    drawn = list(zip(scores, labels, strict=True))
    pairs = [(a > b) + (a == b) / 2 for a, x in drawn for b, y in drawn if x > y]
    return sum(pairs) / len(pairs) if pairs else None


few = st.integers(-3, 3).map(float)  # so few values that ties are the rule
samples = st.lists(st.tuples(st.one_of(few, st.floats(-1e6, 1e6, width=32)), st.booleans()), max_size=30)


@given(samples)
def test_it_is_the_share_of_pairs_in_order(drawn):
    scores, labels = np.array([one for one, _ in drawn]), np.array([float(one) for _, one in drawn])
    expected, found = by_pairs(scores, labels), roc_auc(scores, labels)
    assert found is None if expected is None else found == pytest.approx(expected, abs=1e-12)


@given(samples)
def test_turned_round_it_is_the_rest_of_one(drawn):
    scores, labels = np.array([one for one, _ in drawn]), np.array([float(one) for _, one in drawn])
    found, other = roc_auc(scores, labels), roc_auc(-scores, labels)
    assert (found is None and other is None) or found + other == pytest.approx(1)


def test_known_ones():
    labels = np.array([0, 0, 1, 1])
    assert roc_auc(np.array([0.1, 0.4, 0.35, 0.8]), labels) == 0.75
    assert roc_auc(np.array([1.0, 1.0, 1.0, 1.0]), labels) == 0.5
    assert roc_auc(np.array([-np.inf, 0.0, 1.0, np.inf]), labels) == 1


def test_a_label_of_one_kind_only_is_left_out():
    labels = np.array([[1, 0, 0], [0, 0, 1], [0, 0, 1]], np.float32)
    scores = np.array([[2, 0, 3], [1, 5, 2], [1, 2, 4]], np.float32)
    found = mean_auc(scores, labels)
    assert found.defined == (True, False, True)
    assert found.value == (1.0 + 0.5) / 2


def test_without_any_there_is_no_mean():
    found = mean_auc(np.zeros((4, 2)), np.ones((4, 2)))
    assert found.value is None and found.defined == (False, False)


def test_a_score_that_is_no_number_has_no_order():
    assert roc_auc(np.array([0.0, np.nan]), np.array([0, 1])) is None
