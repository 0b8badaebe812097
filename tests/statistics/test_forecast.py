"""Forecasts of rounds agree with what such rounds really take."""

import numpy as np
import pytest
from tiers import slow

from rosettabench.statistics.forecast import (
    MOST_PROCESSES,
    MOST_ROUNDS,
    ROUGHLY,
    fresh_processes,
    rounds_needed,
    rounds_until,
)
from rosettabench.statistics.interval import fewest_rounds, ratio_interval
from rosettabench.statistics.spread import interval_over_processes
from rosettabench.statistics.verdict import decides


def rounds(seed, count, ratio, spread=0.05):
    return list(map(float, ratio * np.exp(np.random.default_rng(seed).normal(0, spread, count))))


@pytest.mark.parametrize("ratio", [slow(1.0), 1.1])
def test_a_forecast_is_about_right(ratio):
    forecast = np.median([rounds_needed(rounds(seed, 20, ratio), 0.02) or 4096 for seed in range(25)])
    taken = []
    for seed in range(100, 125):
        logs = rounds(seed, 400, ratio)
        decided = (n for n in range(8, 400, 4) if decides(ratio_interval(logs[:n]), 0.02))
        taken.append(next(decided, 400))
    assert 0.5 < forecast / np.median(taken) < 2


def test_more_noise_needs_more_rounds():
    assert rounds_needed(rounds(1, 20, 1.1, 0.02), 0.02) < rounds_needed(rounds(1, 20, 1.1, 0.08), 0.02)


def test_a_difference_of_just_the_margin_is_never_decided():
    assert rounds_needed([1.02 * 1.004, 1.02 / 1.004] * 10, 0.02) is None


def test_too_few_rounds_foretell_nothing():
    assert rounds_needed([1.5] * (fewest_rounds() - 1), 0.02) is None
    assert rounds_needed([1.5] * fewest_rounds(), 0.02) == fewest_rounds()


def test_rounds_that_contradict_each_other_foretell_nothing():
    contradicting = [1.5] * 30 + [1 / 1.5] * 30
    assert not ratio_interval(contradicting).steady
    assert rounds_needed(contradicting, 0.02) is None


def test_no_number_beyond_the_greatest_is_foretold():
    noise = rounds(2, 100, 1.0, 0.3)

    def precision(count):
        return ratio_interval([noise[place % 100] for place in range(count)], 0.95, 6, ROUGHLY).precision

    near, beyond = precision(MOST_ROUNDS), precision(MOST_ROUNDS + 400)
    assert beyond < near
    assert MOST_ROUNDS / 2 < rounds_until(lambda interval: interval.precision <= near, noise, tests=6) <= MOST_ROUNDS
    assert rounds_until(lambda interval: interval.precision <= beyond, noise, tests=6) is None


def processes(seed, count, ratio, between):
    """Two contenders of whom each process of the second has its own speed; rounds as good as without noise."""
    born = np.random.default_rng(seed).normal(0, between, count)
    a = {session: dict.fromkeys(range(4), 1.0) for session in range(count)}
    return a, {session: dict.fromkeys(range(4), float(ratio * np.exp(one))) for session, one in enumerate(born)}


@pytest.mark.parametrize("ratio", [slow(1.0), 1.05])
def test_a_forecast_of_processes_is_about_right(ratio):
    forecast = np.median([fresh_processes(*processes(seed, 5, ratio, 0.03), 0.02) or 256 for seed in range(200)])
    taken = []
    for seed in range(1000, 1200):
        a, b = processes(seed, 256, ratio, 0.03)
        counts = (n for n in range(3, 256) if decides(over(a, b, n), 0.02))
        taken.append(next(counts, 256))
    assert 0.5 < forecast / np.median(taken) < 2


def over(a, b, count):
    return interval_over_processes({n: a[n] for n in range(count)}, {n: b[n] for n in range(count)})


def test_processes_that_cannot_decide_are_told_as_such():
    a, b = processes(1, 5, 1.02, 0.03)
    centre = over(a, b, 5).ratio
    b = {session: {n: value * 1.02 / centre for n, value in rounds.items()} for session, rounds in b.items()}
    assert fresh_processes(a, b, 0.0) is None, "equals and no margin"
    assert fresh_processes(a, b, 0.5) in range(6, MOST_PROCESSES)
    assert fresh_processes({1: a[1]}, {1: b[1]}, 0.02) is None, "one process says nothing of others"
