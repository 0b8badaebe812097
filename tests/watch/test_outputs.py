"""How far outputs are apart."""

import numpy as np

from rosettabench.watch.outputs import off_by, off_by_texts


def test_off_by():
    expected = np.array([[1.0, -4.0], [2.0, 0.5]], np.float32)
    assert off_by(expected, expected) == 0
    assert abs(off_by(expected + np.float32(0.4), expected) - 0.1) < 1e-6
    assert off_by(expected[:1], expected) == float("inf")
    assert off_by(np.array([[np.nan, 0], [0, 0]]), expected) == float("inf")
    assert off_by(np.zeros(3), np.zeros(3)) == 0


def texts(*tokens):
    """The logits of two texts that both consist of these tokens, of five."""
    return np.tile(6.0 * np.eye(5)[list(tokens)] - 1.0, (2, 1, 1))


def test_two_texts_are_compared_as_far_as_they_are_the_same():
    expected = texts(0, 1, 2, 3)
    assert off_by_texts(expected, expected) == 0
    assert off_by_texts(expected + 0.5, expected) == 0.1
    assert off_by_texts(expected[:, :3], expected) == float("inf")


def test_a_tie_lets_what_follows_be_another_text():
    """Until there both have read the same, so the logits of the place itself must agree."""
    expected, found = texts(0, 1, 2, 3), texts(0, 1, 4, 0)
    expected[:, 1, 3] = expected[:, 1, 1] - 1e-6
    found[:, 1] = expected[:, 1]
    found[:, 1, 3] += 2e-6
    assert off_by_texts(found, expected) < 1e-6
    assert off_by(found, expected) > 1


def test_other_logits_are_no_tie():
    expected = texts(0, 1, 2, 3)
    for place in range(4):
        found = expected.copy()
        found[1, place:] = texts(4, 4, 4, 4)[1, place:]
        assert off_by_texts(found, expected) > 1, f"what is wrong from place {place} on"
    found = expected.copy()
    found[0, 3, 1] += 0.5
    assert off_by_texts(found, expected) == 0.1, "which changes no choice"
