"""What the doctor says of noise follows from the blocks it timed; no test asks how noisy this machine is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.cli.doctor import describe_noise
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.verify.noise import Noise, measure_noise, stolen_share


def noise(spread, blocks=30, seed=0):
    seconds = 0.1 * np.exp(np.random.default_rng(seed).normal(0, spread, blocks))
    return Noise(tuple(map(float, seconds)), 0.0, 0.5)


def test_a_quiet_machine_needs_the_fewest_rounds():
    assert Noise((0.1,) * 30, None, None).rounds(0.02) == FEWEST_ROUNDS
    assert Noise((0.1,) * 30, None, None).spread == (1.0, 1.0)


def test_twice_the_noise_needs_four_times_the_rounds():
    assert noise(0.1).rounds(0.02) == pytest.approx(4 * noise(0.05).rounds(0.02), rel=0.15)


@pytest.mark.slow
def test_the_rounds_it_promises_are_enough():
    """Contests of two equals with that many rounds reach the precision, nearly: they, too, only estimate the noise."""
    from rosettabench.statistics.interval import ratio_interval

    promised = round(np.median([noise(0.05, seed=seed).rounds(0.02) for seed in range(50)]))
    reached = []
    for seed in range(50):
        pairs = np.exp(np.random.default_rng(1000 + seed).normal(0, 0.05 * 2**0.5, promised))
        reached.append(ratio_interval(list(map(float, pairs))).precision)
    assert 0.014 < np.median(reached) < 0.026


@given(st.lists(st.floats(1e-3, 10), min_size=10, max_size=60))
def test_drift_of_the_whole_machine_changes_no_spread_ratio(seconds):
    one, slower = Noise(tuple(seconds), None, None), Noise(tuple(3 * value for value in seconds), None, None)
    assert slower.spread == pytest.approx(one.spread)
    low, high = one.spread
    assert low <= 1 <= high


def test_too_few_blocks_say_nothing():
    with pytest.raises(ValueError, match="say nothing"):
        Noise((0.1,) * 6, None, None).rounds(0.02)


def test_stolen_time_is_a_share_of_all_time():
    assert stolen_share([10] * 8, [20] * 7 + [40]) == pytest.approx(0.3)
    assert stolen_share([10] * 8, [10] * 8) is None
    assert stolen_share(None, None) is None


def test_measured_blocks_are_of_the_work():
    measured = measure_noise(blocks=20)
    assert len(measured.seconds) == 20
    assert min(measured.seconds) > 0
    assert measured.rounds(0.02) >= FEWEST_ROUNDS


def test_the_sentences_say_what_it_means():
    calm, loud = describe_noise(noise(0.01), 2), describe_noise(Noise(noise(0.3).seconds, 0.12, 3.4), 2)
    assert "needs about" in calm
    assert "wider" not in calm
    assert "virtual" not in calm
    assert "40 rounds at most" in loud
    assert "more than 400 rounds" in loud
    assert "12.0% of the processors' time" in loud
    assert "others are at work here" in loud
