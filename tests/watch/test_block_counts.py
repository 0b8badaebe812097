"""Counts of a block against what was asked for."""

import hashlib

import numpy as np
import pytest

from rosettabench.client.counts import Counts

LABELS = np.arange(100) % 7
ROWS = np.arange(60).reshape(6, 10)


def digest(*rows):
    """The SHA-256 of the labels of some rows, as a worker tells it."""
    return hashlib.sha256(b"".join(LABELS[row].astype("<f4").tobytes() for row in rows)).hexdigest()


def test_a_block_that_was_done_as_asked_has_no_fault():
    assert Counts(1, 4, 4, 4, (0, 3), digest(ROWS[1], ROWS[4])).fault(LABELS, ROWS) is None
    assert Counts(1, 4).fault(LABELS, ROWS) is None, "nobody counted"


def test_of_picture_files_the_first_number_of_a_row_is_the_sample():
    rows = np.zeros((6, 10, 4), int)
    rows[..., 0] = ROWS
    assert Counts(0, 6, None, 6, (2,), digest(ROWS[2])).fault(LABELS, rows) is None


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (Counts(0, 4, samples=20), "used 20 samples where 40 were asked for"),
        (Counts(0, 4, updates=2), "counted 2 updates in 4 steps"),
        (Counts(0, 4, 4, batches=5), "handed 5 batches in 4 steps"),
        (Counts(0, 4, 4, 4, (0,), digest(ROWS[1])), "labels of 1 batches"),
        (Counts(0, 4, 4, 4, (4,), digest(ROWS[4])), "labels of 1 batches"),
        (Counts(0, 4, 4, 4, (0,), "no digest"), "labels of 1 batches"),
    ],
)
def test_whatever_differs_is_told(counts, told):
    assert told in counts.fault(LABELS, ROWS)
