"""The steady state is found where it begins, and not where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.change_point import Steadiness, deviations, segments, steady_state, warm_from

times = st.lists(st.floats(1e-4, 1e3), min_size=1, max_size=40)


def series(seed, *pieces, kind="normal"):
    """Seconds: pieces (count, level), with noise of 3% or of bursts."""
    generator = np.random.default_rng(seed)
    levels = np.concatenate([np.full(count, level) for count, level in pieces])
    noise = generator.normal(0, 0.03, len(levels))
    if kind == "bursts":
        noise += (generator.random(len(levels)) < 0.1) * generator.exponential(0.4, len(levels))
    return list(map(float, levels * np.exp(noise)))


@pytest.mark.parametrize("kind", ["normal", "bursts"])
@pytest.mark.parametrize("cold", [1, 3, 8, 40])
def test_the_end_of_the_warm_up_is_found(cold, kind):
    right = [abs(warm_from(series(seed, (cold, 1.6), (60, 1.0), kind=kind)) - cold) <= 1 for seed in range(40)]
    assert sum(right) >= 34


@pytest.mark.parametrize("kind", ["normal", "bursts"])
@pytest.mark.parametrize("count", [10, 20, 60, 200])
def test_what_is_steady_from_the_start_is_seldom_cut(count, kind):
    cut = [len(segments(series(seed, (count, 1.0), kind=kind))) > 1 for seed in range(60)]
    assert sum(cut) <= (3 if kind == "normal" else 9)


def test_a_compiling_first_step_stands_alone():
    found = steady_state(series(0, (1, 300.0), (12, 1.0)))
    assert (found.start, found.steadiness) == (1, Steadiness.WARM)
    assert found.sentence == "Steady from value 2 on."


def test_a_slow_phase_of_the_machine_in_the_middle_does_not_undo_the_warm_up():
    found = steady_state(series(0, (5, 2.0), (30, 1.0), (10, 1.5), (30, 1.0)))
    assert (found.start, found.steadiness) == (5, Steadiness.WARM)


def test_a_leak_is_called_slower():
    seconds = [value * (1 + 0.01 * place) for place, value in enumerate(series(1, (60, 1.0)))]
    found = steady_state(seconds)
    assert found.steadiness is Steadiness.SLOWING
    assert "slower" in found.sentence


def test_a_level_that_has_just_changed_is_no_steady_state():
    found = steady_state(series(2, (40, 2.0), (4, 1.0)))
    assert found.steadiness is Steadiness.UNSETTLED
    assert "No steady state" in found.sentence


@given(times)
def test_segments_cover_the_series_once(seconds):
    cut = segments(seconds)
    assert [segment.start for segment in cut] == [0, *(segment.end for segment in cut[:-1])]
    assert cut[-1].end == len(seconds)
    assert 0 <= warm_from(seconds) < len(seconds)


@given(st.integers(0, 10**6), st.floats(0.01, 100))
def test_the_unit_of_time_does_not_matter(seed, factor):
    seconds = series(seed, (5, 1.5), (15, 1.0))
    assert warm_from([value * factor for value in seconds]) == warm_from(seconds)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=30))
def test_running_deviations_are_those_of_the_definition(values):
    expected = [
        float(np.abs(np.array(values[:end]) - np.median(values[:end])).sum()) for end in range(1, len(values) + 1)
    ]
    assert deviations(values) == pytest.approx(expected, abs=1e-9)


def test_the_cut_is_the_cheapest_of_all():
    """Against all cuts of a short series, tried one by one."""
    from itertools import combinations, pairwise

    from rosettabench.statistics import change_point

    for seed in range(10):
        seconds = series(seed, (4, 1.3), (5, 1.0))
        logs = np.log(seconds)
        penalty = change_point.PENALTY * np.log(9) * change_point.noise_scale(list(logs))

        def cost(borders, logs=logs, penalty=penalty):
            parts = [logs[a:b] for a, b in pairwise(borders)]
            if any(len(part) < change_point.LEAST for part in parts[1:]):
                return np.inf
            return sum(np.abs(part - np.median(part)).sum() for part in parts) + penalty * (len(parts) - 1)

        cheapest = min(cost((0, *inner, 9)) for size in range(4) for inner in combinations(range(1, 9), size))
        assert cost((0, *(segment.end for segment in segments(seconds)))) == pytest.approx(cheapest)


@pytest.mark.parametrize("wrong", [[], [1.0, 0.0], [-1.0]])
def test_impossible_series_are_refused(wrong):
    with pytest.raises(ValueError, match="positive times"):
        steady_state(wrong)
