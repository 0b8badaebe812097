"""What a wrong loss of a forecast is told to be."""

import numpy as np
import pytest

from rosettabench.proof.causes.forecast import forecast_loss, rearrange_windows
from rosettabench.statistics.student_t import negative_log_likelihood, weighted_mean

DRAW = np.random.default_rng(0)
LOGITS = np.exp(DRAW.normal(size=(4, 6, 3))) + np.array([2, 0, 0])
LABELS = np.stack([5 * DRAW.normal(size=(4, 6)), DRAW.random((4, 6)) < 0.8], 2)
EACH, WEIGHTS = negative_log_likelihood(LOGITS, LABELS[..., 0]), LABELS[..., 1]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (EACH.mean(), "weights are ignored"),
        ((WEIGHTS * EACH).mean(), "mean over all steps"),
        ((WEIGHTS * EACH).sum(), "sum over the batch"),
        (((WEIGHTS * EACH).sum(1) / WEIGHTS.sum(1)).mean(), "mean of the means"),
    ],
)
def test_a_mean_of_another_kind(found, said):
    (sentence,) = forecast_loss(float(found), LOGITS, LABELS)
    assert said in sentence


def test_nothing_is_said_of_the_right_one():
    assert list(forecast_loss(weighted_mean(EACH, WEIGHTS), LOGITS, LABELS)) == []


def test_windows_read_otherwise():
    inputs = np.arange(2 * 3 * 22, dtype=float).reshape(2, 3, 22) + 1
    inputs[..., -1] = [0, 1, 0]
    (_, every), (_, older), (_, newer) = rearrange_windows(inputs)
    assert (every[..., -1] == 1).all() and np.array_equal(every[..., :-1], inputs[..., :-1])
    assert np.array_equal(older[:, 1:, :16], inputs[:, :-1, :16]) and not older[:, 0, :16].any()
    assert np.array_equal(newer[:, :-1, :16], inputs[:, 1:, :16]) and not newer[:, -1, :16].any()
    assert np.array_equal(newer[..., 16:], inputs[..., 16:])
