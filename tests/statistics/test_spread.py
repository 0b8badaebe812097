"""Spread within and between processes, told apart; and an interval that covers what a single process cannot know."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import slow

from rosettabench.statistics.interval import ratio_interval
from rosettabench.statistics.rounds import ratios
from rosettabench.statistics.spread import interval_over_processes, spread


def replicate(seed, sessions, rounds, within=0.02, between=0.0, ratio=1.0):
    """Two contenders whose processes differ by `between`, relative; the machine's speed wanders."""
    generator = np.random.default_rng(seed)
    a, b = {}, {}
    for session in range(1, sessions + 1):
        machine_change = np.exp(np.cumsum(generator.normal(0, 0.1, rounds)))
        born = np.exp(generator.normal(0, between))
        a[session] = {n: float(machine_change[n]) for n in range(rounds)}
        b[session] = {
            n: float(ratio * born * machine_change[n] * np.exp(generator.normal(0, within))) for n in range(rounds)
        }
    return a, b


def test_the_spreads_are_those_that_were_planted():
    found = [spread(*replicate(seed, 10, 12, 0.03, 0.05)) for seed in range(60)]
    assert np.mean([one.within.value for one in found]) == pytest.approx(0.03, rel=0.05)
    assert np.sqrt(np.mean([one.between.value**2 for one in found])) == pytest.approx(0.05, rel=0.12)
    assert (found[0].sessions, found[0].rounds) == (10, 120)


def test_their_intervals_cover_them():
    found = [spread(*replicate(seed, 6, 10, 0.03, 0.05)) for seed in range(300)]
    assert np.mean([one.within.low <= 0.03 <= one.within.high for one in found]) > 0.91
    assert np.mean([one.between.low <= 0.05 <= one.between.high for one in found]) > 0.91


def test_where_processes_do_not_differ_none_is_found():
    found = [spread(*replicate(seed, 6, 10, 0.03, 0.0)) for seed in range(200)]
    assert np.mean([one.between.low == 0.0 for one in found]) > 0.93


def test_one_process_knows_nothing_of_others():
    a, b = replicate(0, 1, 20)
    assert spread(a, b).between is None
    assert interval_over_processes(a, b) is None
    assert spread({1: {}}, {1: {}}) is None


@pytest.mark.parametrize("sessions", [2, *map(slow, [3, 5, 10])])
def test_the_interval_over_processes_covers_and_that_over_rounds_does_not(sessions):
    over_processes = over_rounds = 0
    for seed in range(400):
        a, b = replicate(seed, sessions, 10, 0.02, 0.05, 1.2)
        interval = interval_over_processes(a, b)
        over_processes += interval.low <= 1.2 <= interval.high
        single = ratio_interval(ratios(a[1], b[1]))
        over_rounds += single.low <= 1.2 <= single.high
    assert over_processes / 400 > 0.95 - 3 * (0.95 * 0.05 / 400) ** 0.5
    assert over_rounds / 400 < 0.75  # the mistake that this is there to prevent


@given(st.integers(0, 10**6), st.integers(2, 6), st.floats(0.1, 10))
def test_swapping_inverts_and_scaling_scales(seed, sessions, factor):
    a, b = replicate(seed, sessions, 5, 0.03, 0.02)
    straight, swapped = interval_over_processes(a, b), interval_over_processes(b, a).inverse()
    assert [swapped.ratio, swapped.low, swapped.high] == pytest.approx([straight.ratio, straight.low, straight.high])
    slower = {session: {n: factor * value for n, value in rounds.items()} for session, rounds in b.items()}
    assert interval_over_processes(a, slower).low == pytest.approx(factor * straight.low)
    assert spread(a, slower).within.value == pytest.approx(spread(a, b).within.value)


def test_rounds_without_any_noise_are_no_error():
    a = {session: dict.fromkeys(range(5), 1.0) for session in (1, 2, 3)}
    b = {session: dict.fromkeys(range(5), 1.0 + session / 100) for session in (1, 2, 3)}
    found = spread(a, b)
    assert found.within.value == pytest.approx(0, abs=1e-12)
    assert found.between.value == pytest.approx(0.0098, abs=1e-3)
