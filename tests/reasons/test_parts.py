"""The parts of a step: found where they were put, adding up, and left out where they cannot be told apart."""

import numpy as np
import pytest
from examined import FAST, SLOW, measured, subject
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.reasons.measured import MeasuredRounds
from rosettabench.reasons.parts import explain

RANDOM = np.random.default_rng(0)
seconds = st.floats(1e-5, 1e-2)
parts = st.fixed_dictionaries(
    {"a": seconds, "b": st.floats(1e-7, 1e-3), "optimiser": seconds, "input": seconds, "feed": seconds}
)


def values(found):
    return {name: part.value for name, part in found.items()}


def test_the_parts_are_found_where_they_were_put():
    explanation = explain(measured(subject("slow", SLOW, RANDOM), subject("fast", FAST, RANDOM)))
    [pair] = explanation.pairs
    assert (pair.slower, pair.faster) == ("slow", "fast")
    assert pair.more.value == pytest.approx(32 * 30e-6 + 4e-4 + 1e-4)
    assert values(pair.parts) == pytest.approx(
        {"arithmetic": 32 * 30e-6, "launch": 1e-4, "optimiser": 3e-4, "input": 1e-4, "bend": 0.0}, abs=1e-12
    )
    assert pair.ratio.value == pytest.approx((9e-4 + 32 * 50e-6 + 2e-4) / (5e-4 + 32 * 20e-6 + 1e-4))
    assert explanation.steps[0].feed.value == pytest.approx(2.5e-4)


@given(parts, parts, st.sampled_from([(), ("update",), ("update", "backpropagate")]), st.floats(0, 0.3))
def test_the_parts_add_up_whatever_was_measured(one, other, without, noise):
    random = np.random.default_rng(1)
    pairing = measured(subject("one", one, random, noise=noise, without=without), subject("other", other, random))
    explanation = explain(pairing)
    for step in explanation.steps:
        assert sum(values(step.parts).values()) == pytest.approx(step.total.value)
    [pair] = explanation.pairs
    scale = max(step.total.value for step in explanation.steps)
    assert sum(values(pair.parts).values()) == pytest.approx(pair.more.value, abs=1e-9 * scale)


def test_an_optimiser_left_out_is_the_optimiser_by_itself():
    alone = explain(measured(subject("x", SLOW, RANDOM), subject("y", FAST, RANDOM))).steps[0]
    left_out = explain(measured(subject("x", SLOW, RANDOM, without=("update",)), subject("y", FAST, RANDOM))).steps[0]
    assert (alone.how, left_out.how) == ("update", "backpropagate")
    assert values(alone.parts) == pytest.approx(values(left_out.parts), abs=1e-12)


def test_a_part_that_one_of_the_two_cannot_tell_apart_is_no_part_of_the_difference():
    without = subject("x", SLOW, RANDOM, without=("update", "backpropagate"))
    explanation = explain(measured(without, subject("y", FAST, RANDOM)))
    assert "optimiser" not in explanation.steps[0].parts
    assert "optimiser" in explanation.steps[1].parts
    [pair] = explanation.pairs
    assert "optimiser" not in pair.parts
    assert pair.parts["launch"].value == pytest.approx(SLOW["a"] - FAST["a"])


def test_equal_contenders_are_not_parted():
    """Their noise differs, they do not: every interval of the difference holds zero, nearly always."""
    false = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        pair = explain(measured(subject("x", SLOW, random, noise=0.05), subject("y", SLOW, random, noise=0.05))).pairs[
            0
        ]
        false += pair.more.excludes(0)
        assert pair.ratio.low <= pair.ratio.value <= pair.ratio.high
    assert false <= 6, "at 95%, more than 6 of 40 would be wrong"


def test_a_bend_is_told():
    step = explain(measured(subject("x", SLOW, RANDOM, bent=0.5), subject("y", FAST, RANDOM))).steps[0]
    assert max(step.bends, key=lambda size: abs(step.bends[size].value)) == 16


def test_the_store_gives_the_same_explanation_again():
    first = measured(subject("x", SLOW, RANDOM, noise=0.1), subject("y", FAST, RANDOM, noise=0.1))
    again = MeasuredRounds.model_validate(first.model_dump(mode="json"))
    assert explain(again) == explain(first)


def test_starts_are_compared_in_pairs():
    [pair] = explain(measured(subject("slow", SLOW, RANDOM), subject("fast", FAST, RANDOM))).pairs
    assert pair.starts["import_s"].ratio == pytest.approx(9 / 5)
