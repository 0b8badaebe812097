"""Block length and warmth, decided from numbers: no test here measures anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.lab.warm_up import (
    CLOCK_SHARE,
    FEWEST_BLOCKS,
    MOST_BLOCKS,
    MOST_STEPS,
    PROBE,
    SHORTEST_BLOCK_S,
    WarmUp,
    block_steps,
    is_warm,
)
from rosettabench.statistics.rounds import TURNS

ROUND_S = 4.0
TURN_S = ROUND_S / TURNS

times = st.dictionaries(st.sampled_from("abcde"), st.floats(1e-5, 10), min_size=1)


@given(times)
def test_a_block_is_long_enough_for_the_clock(seconds):
    assert block_steps(seconds, TURN_S, SHORTEST_BLOCK_S) * min(seconds.values()) >= SHORTEST_BLOCK_S * 0.999


@given(times)
def test_a_round_is_no_longer_than_it_must_be(seconds):
    steps = block_steps(seconds, TURN_S, SHORTEST_BLOCK_S)
    if steps > 1 and (steps - 1) * min(seconds.values()) > SHORTEST_BLOCK_S:
        assert (steps - 1) * sum(seconds.values()) * TURNS <= ROUND_S


@pytest.mark.parametrize(
    ("history", "warm"),
    [
        ([1.0, 1.0, 1.0], False),
        ([1.0, 1.01, 0.99, 1.0], True),
        ([5.0, 1.0, 1.01, 0.99], True),
        ([4.0, 2.0, 1.0, 0.5, 0.25], False),
        ([3.0, 2.9, 3.1, 1.0, 1.02, 0.98], True),
    ],
)
def test_warm_is_a_level_that_lasts(history, warm):
    assert is_warm(history) is warm


def blocks_until_over(seconds_of_block):
    """Run a warm-up on made-up times: block number -> seconds per step of each contender."""
    warm_up, lengths = WarmUp(ROUND_S, 0.0), []
    while not warm_up.over:
        lengths.append(warm_up.steps)
        warm_up.note(seconds_of_block(len(lengths)))
    return warm_up, lengths


def test_steady_contenders_are_warm_after_the_fewest_blocks_of_the_final_length():
    warm_up, lengths = blocks_until_over(lambda block: {"a": 0.001, "b": 0.003})
    assert lengths == [*PROBE, *[250] * FEWEST_BLOCKS]
    assert warm_up.steps == 250


def test_where_a_step_is_longer_than_a_turn_one_shows_the_speed():
    """Fifteen libraries take a minute for a step of everybody: five of them would tell nothing more."""
    _, lengths = blocks_until_over(lambda block: {"a": 3.0, "b": 5.0})
    assert lengths == [1, 1, *[1] * FEWEST_BLOCKS]


def test_the_second_block_is_as_long_as_in_an_earlier_process():
    for seconds in (1e-4, 10.0):
        warm_up = WarmUp(ROUND_S, 0.0, second=3)
        warm_up.note({"a": seconds, "b": seconds})
        assert warm_up.steps == 3


def test_where_only_the_first_step_is_slow_the_second_block_does_not_mislead():
    _, lengths = blocks_until_over(lambda block: {"a": 10.0 if block == 1 else 0.001})
    assert lengths[:3] == [1, 1, 1000]


def test_where_the_clock_is_dear_blocks_are_longer():
    warm_up = WarmUp(0.1, tick=0.002)
    for _ in range(len(PROBE)):
        warm_up.note({"a": 0.001})
    assert warm_up.steps * 0.001 * CLOCK_SHARE >= 0.002


def test_a_slow_start_prolongs_the_warm_up():
    _, lengths = blocks_until_over(lambda block: {"a": 0.001 if block > 5 else 0.003 / block})
    assert len(lengths) > len(PROBE) + FEWEST_BLOCKS


def test_a_misleading_probe_is_corrected():
    """The first blocks met a burst and looked fifty times slower: the block length must not stay at their mercy."""
    warm_up, _ = blocks_until_over(lambda block: {"a": 0.05 if block <= 2 else 0.001})
    assert warm_up.steps * 0.001 >= SHORTEST_BLOCK_S


@given(st.lists(st.floats(1e-4, 1), min_size=MOST_BLOCKS, max_size=MOST_BLOCKS))
def test_the_warm_up_always_ends(seconds):
    _, lengths = blocks_until_over(lambda block: {"a": seconds[block - 1]})
    assert len(lengths) <= MOST_BLOCKS


def test_a_clock_that_says_next_to_nothing_does_not_make_blocks_endless():
    assert block_steps({"a": 1e-300, "b": 1e-3}, 0.25, 0.05) == MOST_STEPS
