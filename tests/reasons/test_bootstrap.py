"""The intervals: how often they cover the truth, and that whole rounds are drawn."""

import numpy as np
import pytest

from rosettabench.reasons.bootstrap import interval, locations, trim_rounds
from rosettabench.reasons.line import fit_line

SIZES = (4, 8, 16, 32, 64, 128)
TRUTH = {"a1": 2e-3, "b1": 50e-6, "a2": 1e-3, "b2": 40e-6}


def simulated(random, rounds, bursts):
    """Rounds of two contenders over all sizes: drift common to a round, noise of 5% of its own, and bursts."""
    n = np.array(SIZES, dtype=float)
    ideal = np.concatenate([TRUTH["a1"] + TRUTH["b1"] * n, TRUTH["a2"] + TRUTH["b2"] * n])
    machine_change = np.exp(random.normal(0, 0.05, (rounds, 1)))
    noise = np.exp(random.normal(0, 0.05, (rounds, ideal.size)))
    late = np.where(random.random((rounds, ideal.size)) < bursts, 1.5, 1.0)
    return ideal * machine_change * noise * late


def covered(rounds, bursts, contests=600):
    """Return how often the intervals of a1 - a2, b1 - b2 and b1 / b2 cover what was simulated."""
    random = np.random.default_rng(rounds)
    truth = (TRUTH["a1"] - TRUTH["a2"], TRUTH["b1"] - TRUTH["b2"], TRUTH["b1"] / TRUTH["b2"])
    hits = np.zeros(3)
    for contest in range(contests):
        drawn = locations(simulated(random, rounds, bursts), draws=400, seed=contest)
        a1, b1 = fit_line(SIZES, drawn[:, : len(SIZES)])
        a2, b2 = fit_line(SIZES, drawn[:, len(SIZES) :])
        for place, draws in enumerate((a1 - a2, b1 - b2, b1 / b2)):
            low, high = interval(draws, rounds, 0.95)
            hits[place] += low <= truth[place] <= high
    return hits / contests


@pytest.mark.parametrize("rounds", [6, 12, 30])
def test_the_interval_covers_the_truth_as_often_as_it_says(rounds):
    assert covered(rounds, bursts=0.0).min() >= 0.93


def test_bursts_that_hit_single_blocks_do_not_break_it():
    assert covered(20, bursts=0.03).min() >= 0.93


def test_percentiles_without_the_widening_would_cover_too_seldom():
    """The simulation can tell a wrong interval from a right one."""
    random, hits = np.random.default_rng(6), 0
    for contest in range(400):
        drawn = locations(simulated(random, 6, 0.0), draws=400, seed=contest)
        draws = fit_line(SIZES, drawn[:, : len(SIZES)])[1] - fit_line(SIZES, drawn[:, len(SIZES) :])[1]
        low, high = np.quantile(draws[1:], [0.025, 0.975])
        hits += low <= TRUTH["b1"] - TRUTH["b2"] <= high
    assert hits / 400 < 0.93


def test_rounds_are_drawn_whole():
    """What two cells share within a round cancels in their ratio, whatever rounds are drawn."""
    random = np.random.default_rng(0)
    machine_change = np.exp(random.normal(0, 1.0, (20, 1)))
    drawn = locations(machine_change * np.array([1e-3, 2e-3]))
    assert drawn[:, 1] / drawn[:, 0] == pytest.approx(np.full(len(drawn), 2.0))
    assert drawn[:, 0].std() > 1e-4


def test_the_same_rounds_give_the_same_interval():
    rounds = np.random.default_rng(1).random((9, 4))
    assert (locations(rounds) == locations(rounds)).all()


def test_where_a_cell_stands_leaves_the_outer_fifths_out():
    values = np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]])
    assert trim_rounds(values) == pytest.approx([3.0])
