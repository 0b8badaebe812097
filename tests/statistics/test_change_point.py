"""The steady state is found where it begins, and not where there is none."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosettabench.statistics import change_point
from rosettabench.statistics.change_point import Steadiness, segments, steady_state

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
    right = [abs(steady_state(series(seed, (cold, 1.6), (60, 1.0), kind=kind)).start - cold) <= 1 for seed in range(40)]
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
    assert 0 <= steady_state(seconds).start < len(seconds)


@given(st.integers(0, 10**6), st.floats(0.01, 100))
def test_the_unit_of_time_does_not_matter(seed, factor):
    seconds = series(seed, (5, 1.5), (15, 1.0))
    assert steady_state([value * factor for value in seconds]).start == steady_state(seconds).start


def cost(seconds, borders):
    """The cost of a cut of a series: that of its segments, and the penalty of each but the first."""
    logs = np.log(seconds)
    penalty = change_point.PENALTY * np.log(max(2, len(logs))) * change_point.noise_scale(list(logs))
    parts = [logs[start:end] for start, end in pairwise(borders)]
    return sum(np.abs(part - np.median(part)).sum() for part in parts) + penalty * (len(parts) - 1)


@settings(deadline=None)
@given(st.lists(st.sampled_from([1.0, 1.01, 1.02, 1.3, 1.31, 2.0]), min_size=1, max_size=40))
def test_no_cut_that_medians_of_all_parts_find_is_cheaper(seconds):
    """Against dynamic programming over all parts, each with its own median."""
    best, count = {0: (0.0, (0,))}, len(seconds)
    for end in range(1, count + 1):
        starts = [start for start in range(end) if start == 0 or end - start >= change_point.LEAST]
        cuts = [(*best[start][1], end) for start in starts if start in best]
        best[end] = min((cost(seconds, cut), cut) for cut in cuts)
    assert cost(seconds, (0, *(segment.end for segment in segments(seconds)))) == pytest.approx(best[count][0])


def test_the_cut_is_the_cheapest_of_all():
    """Against all cuts of a short series, tried one by one."""
    for seed in range(10):
        seconds = series(seed, (4, 1.3), (5, 1.0))
        cuts = [(0, *inner, 9) for size in range(4) for inner in combinations(range(1, 9), size)]
        allowed = [cut for cut in cuts if all(b - a >= change_point.LEAST for a, b in pairwise(cut[1:]))]
        found = (0, *(segment.end for segment in segments(seconds)))
        assert cost(seconds, found) == pytest.approx(min(cost(seconds, cut) for cut in allowed))


@pytest.mark.parametrize("wrong", [[], [1.0, 0.0], [-1.0]])
def test_impossible_series_are_refused(wrong):
    with pytest.raises(ValueError, match="positive times"):
        steady_state(wrong)
