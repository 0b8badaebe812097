"""The proof of a workload that writes texts: no round-off may exchange the two likeliest tokens of any place."""

from math import inf

import numpy as np
import pytest

from rosettabench.proof.check import make_check
from rosettabench.proof.inference import margin_of_tokens
from rosettabench.proof.tolerance import Tolerances

ROUND_OFF = 1e-6


def logits(gap):
    """Two texts of three places with four tokens; at the last place, the two likeliest are `gap` apart."""
    made = np.tile([3.0, -3.0, 1.0, -1.0], (2, 3, 1))
    made[1, 2] = [3.0, 3.0 - gap, -3.0, -1.0]
    return made


def holds(gap):
    exact = logits(gap)
    deviation = margin_of_tokens(exact, [exact, exact + ROUND_OFF]).deviation
    return make_check(deviation, Tolerances([]).of(deviation)).passed


def test_what_is_near_and_what_moves_are_told_relative_to_the_logits():
    exact = logits(0.5)
    found = margin_of_tokens(exact, [exact + ROUND_OFF, exact - 3 * ROUND_OFF])
    scale = np.sqrt(np.mean(exact**2))
    assert found.nearest == pytest.approx(0.5 / scale)
    assert found.reach == pytest.approx(6 * ROUND_OFF / scale, rel=1e-6), "both of the two may move"


def test_two_tokens_that_round_off_could_exchange_are_no_proof():
    assert holds(5 * ROUND_OFF)
    assert not holds(3 * ROUND_OFF)


def test_equally_likely_tokens_are_no_proof():
    assert margin_of_tokens(logits(0.0), [logits(0.0)]).deviation.value == inf
    assert not holds(0.0)
