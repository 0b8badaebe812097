"""Two runs that shared no rounds: the interval covers, and does not narrow where processes are known to differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.statistics.interval import Interval
from rosettabench.statistics.unpaired import (
    UNKNOWN,
    SpreadOfEquals,
    equals,
    freedom,
    level_processes,
    quotient,
    scatter_of_processes,
    unpaired_interval,
)


def run(random, ratio=1.0, processes=1, rounds=16, born=0.0, noise=0.02):
    """Ratios of a contender to what stays the same, in one run: each process has a level of its own."""
    return [
        list(ratio * np.exp(random.normal(0, born)) * np.exp(random.normal(0, noise, rounds))) for _ in range(processes)
    ]


def coverage(seeds, truth, born, processes=1, controls=0, confidence=0.95):
    """The share of comparisons whose interval holds the truth."""
    held = 0
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        before, after = run(random, 1.3, processes, born=born), run(random, 1.3 * truth, processes, born=born)
        # a control, like any process relative to others, is a pair of processes: so is its level
        alike = equals(run(random, 1.0, born=born)[0] for _ in range(controls))
        interval = unpaired_interval(before, after, alike, confidence)
        held += interval.low <= truth <= interval.high
    return held / seeds


@pytest.mark.slow
@pytest.mark.parametrize("truth", [1.0, 1.1])
def test_rounds_alone_cover_where_processes_do_not_differ(truth):
    assert coverage(300, truth, born=0.0) > 0.93


@pytest.mark.slow
def test_rounds_alone_do_not_cover_where_processes_differ():
    assert coverage(300, 1.0, born=0.05) < 0.6  # the mistake that this is there to prevent


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "controls"), [(1, 2), (1, 6), (3, 0), (3, 2)])
def test_with_what_is_known_of_processes_it_covers(processes, controls):
    rate = coverage(400, 1.1, 0.05, processes, controls)
    assert rate > 0.95 - 3 * (0.95 * 0.05 / 400) ** 0.5


def test_more_that_is_known_of_processes_narrows_it():
    random = np.random.default_rng(1)
    before, after = run(random, born=0.02), run(random, born=0.02)
    widths = [
        unpaired_interval(before, after, SpreadOfEquals(freedom * 0.02**2, freedom)).precision
        for freedom in (1, 2, 5, 50)
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 3 * widths[-1]


def test_what_is_known_is_counted():
    known = scatter_of_processes([[[1.0], [1.1]], [[2.0], [2.0], [2.0]], [[5.0]]])
    assert known.freedom == 3
    assert known.squares == pytest.approx(np.log(1.1) ** 2 / 2)
    both = known + equals([[1.02] * 4])
    assert both.freedom == 4
    assert both.deviation == pytest.approx(np.sqrt((np.log(1.1) ** 2 / 2 + np.log(1.02) ** 2) / 4))
    assert UNKNOWN.deviation is None
    assert freedom([[1.0]], [[1.0]], UNKNOWN) == 0
    assert freedom([[1.0], [1.0]], [[1.0]], both) == 5


def test_too_few_rounds_have_no_interval():
    enough, few = [[1.0 + k / 100 for k in range(12)]], [[1.0, 1.1, 1.2]]
    assert unpaired_interval(enough, few) is None
    assert unpaired_interval(few, enough) is None
    assert unpaired_interval(enough, []) is None
    assert unpaired_interval(enough, enough) is not None


def test_precise_rounds_of_processes_that_differ_do_not_contradict_each_other():
    random = np.random.default_rng(3)
    before, after = run(random, 1.0, 3, 12, born=0.03, noise=0.001), run(random, 1.5, 3, 12, born=0.03, noise=0.001)
    interval = unpaired_interval(before, after)
    assert interval.steady
    assert interval.low < 1.5 < interval.high


def test_processes_are_brought_to_one_level_and_keep_their_noise():
    random = np.random.default_rng(4)
    moved = np.log(level_processes(run(random, 2.0, 400, 5, born=0.3, noise=0.02)))
    assert moved.std() == pytest.approx(0.02, rel=0.1)
    assert level_processes([[1.0, 1.1]]) == [1.0, 1.1]


def test_the_arms_are_added_as_squares():
    one, other = Interval(1.2, 1.1, 1.4, 0.95, 12), Interval(1.0, 0.9, 1.05, 0.95, 9)
    found = quotient(one, other)
    assert found.ratio == pytest.approx(1.2)
    assert np.log(found.ratio / found.low) == pytest.approx(np.hypot(np.log(1.2 / 1.1), np.log(1.05)))
    assert np.log(found.high / found.ratio) == pytest.approx(np.hypot(np.log(1.4 / 1.2), np.log(1 / 0.9)))
    assert found.rounds == 9


@given(st.integers(0, 10**6), st.integers(1, 3), st.floats(0.1, 10), st.floats(1e-3, 1e3))
def test_swapping_inverts_and_units_do_not_matter(seed, processes, factor, unit):
    random = np.random.default_rng(seed)
    before, after = run(random, 1.0, processes, born=0.02), run(random, 1.2, processes, born=0.02)
    straight, swapped = unpaired_interval(before, after), unpaired_interval(after, before).inverse()
    ends = [straight.ratio, straight.low, straight.high]
    assert [swapped.ratio, swapped.low, swapped.high] == pytest.approx(ends, rel=1e-5)
    assert straight.low <= straight.ratio <= straight.high
    scaled = unpaired_interval(
        [[unit * one for one in series] for series in before], [[unit * factor * one for one in s] for s in after]
    )
    assert [scaled.ratio, scaled.low, scaled.high] == pytest.approx([factor * end for end in ends], rel=1e-5)


@given(st.integers(0, 10**6), st.floats(0, 0.1), st.integers(1, 20), st.integers(2, 10))
def test_it_never_says_more_than_the_rounds_do(seed, spread, known, tests):
    random = np.random.default_rng(seed)
    before, after = run(random), run(random, 1.1)
    alone = unpaired_interval(before, after)
    wider = unpaired_interval(before, after, SpreadOfEquals(known * spread**2, known))
    assert wider.low <= alone.low
    assert wider.high >= alone.high
    together = unpaired_interval(before, after, SpreadOfEquals(known * spread**2, known), tests=tests)
    if together is not None:
        assert together.low <= wider.low
        assert together.high >= wider.high
