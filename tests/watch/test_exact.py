"""What the reference in float32 says about noise, and how much of it is allowed."""

import numpy as np
import pytest

from rosettabench.watch.exact import TWICE, ExactSteps, TakenSteps
from rosettabench.watch.moves import AWAY, TOGETHER, Move, compare_moves

TENSORS = ("kernel", "scale", "bias")


@pytest.fixture
def steps(tmp_path):
    """A function that makes steps which end at {tensor: array}, with these losses."""
    np.save(tmp_path / "begin.npy", np.zeros(100, np.float32))
    begin = dict.fromkeys(TENSORS, str(tmp_path / "begin.npy"))

    def make(name, ends, losses):
        for tensor, end in ends.items():
            np.save(tmp_path / f"{name}-{tensor}.npy", end)
        return TakenSteps(Move(begin, {one: str(tmp_path / f"{name}-{one}.npy") for one in ends}), losses)

    return make


def ways(noise):
    """Where the tensors end, with noise of a relative size; the bias has no gradient."""
    random, chance = np.random.default_rng(0), np.random.default_rng(1)
    found = {one: random.standard_normal(100) for one in TENSORS}
    found = {one: way + noise * chance.standard_normal(100) for one, way in found.items()}
    return {**found, "bias": np.full(100, noise)}


@pytest.mark.parametrize("noise", [1e-6, 0.2])
def test_who_is_as_far_away_as_noise_stays_and_who_makes_half_of_the_steps_does_not(steps, noise):
    known = ExactSteps(steps("exact", ways(0), (2.0, 1.0, 0.8)), steps("rounded", ways(noise), (2.0, 1.0, 0.9)))
    assert known.exact.means([1, 2]) == [2.0, 0.9]
    assert known.noise([1, 2]) == pytest.approx([0.0, 0.05 / 0.95])
    bounds = known.bounds(TENSORS)
    if noise < 0.1:
        assert bounds == TOGETHER
    else:
        assert AWAY < bounds.away < 0.5
        assert bounds.away == pytest.approx(TWICE * noise, rel=0.2)
        assert (bounds.further, bounds.still) == (TOGETHER.further, TOGETHER.still)
    half = steps("half", {one: way / 2 for one, way in ways(noise).items()}, (2.0, 1.0, 0.8))
    honest = steps("honest", ways(-noise), (2.0, 1.0, 0.8))
    for subject, agrees in ((half, False), (honest, True)):
        moves = {"a": subject.move, "reference": known.exact.move}
        assert compare_moves(moves, ("kernel", "scale")).odd_ones({one: one for one in moves}, bounds).agree is agrees
