"""Forecasts of rounds agree with what such rounds really take."""

import numpy as np
import pytest

from rosettabench.statistics.forecast import needed
from rosettabench.statistics.interval import fewest_rounds, ratio_interval
from rosettabench.statistics.verdict import decides


def rounds(seed, count, ratio, spread=0.05):
    return list(map(float, ratio * np.exp(np.random.default_rng(seed).normal(0, spread, count))))


@pytest.mark.parametrize("ratio", [1.0, 1.1])
def test_a_forecast_is_about_right(ratio):
    forecast = np.median([needed(rounds(seed, 20, ratio), 0.02) or 4096 for seed in range(25)])
    taken = []
    for seed in range(100, 125):
        logs = rounds(seed, 400, ratio)
        decided = (n for n in range(8, 400, 4) if decides(ratio_interval(logs[:n]), 0.02))
        taken.append(next(decided, 400))
    assert 0.5 < forecast / np.median(taken) < 2


def test_more_noise_needs_more_rounds():
    assert needed(rounds(1, 20, 1.1, 0.02), 0.02) < needed(rounds(1, 20, 1.1, 0.08), 0.02)


def test_a_difference_of_just_the_margin_is_never_decided():
    assert needed([1.02 * 1.004, 1.02 / 1.004] * 10, 0.02) is None


def test_too_few_rounds_foretell_nothing():
    assert needed([1.5] * (fewest_rounds() - 1), 0.02) is None
    assert needed([1.5] * fewest_rounds(), 0.02) == fewest_rounds()
