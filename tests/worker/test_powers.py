"""An Adam that counts no updates keeps a power of its beta: how many there were is read from that, to the last one."""

import numpy as np
import pytest

from rosetta_worker.optimizers.powers import updates_of

BETA = 0.999


def power(count, begins):
    product = np.float32(begins)
    for _ in range(count):
        product *= np.float32(BETA)
    return product


@pytest.mark.parametrize("begins", [1.0, BETA])
@pytest.mark.parametrize("count", [0, 1, 37, 20_000])
def test_every_update_counts(count, begins):
    assert updates_of(float(power(count, begins)), BETA, begins=begins) == count


def test_the_rounding_of_all_products_is_followed():
    """Ten thousand products are further from the power itself than one product is wide."""
    exact = BETA**20_000
    assert abs(float(power(20_000, 1.0)) - exact) > exact * np.finfo(np.float32).eps
    assert updates_of(exact, BETA, begins=1.0) is None, "which no products give"


def test_too_small_a_power_tells_nothing():
    assert updates_of(0.0, BETA) is None
    assert updates_of(float(power(120_000, 1.0)), BETA, begins=1.0) is None
