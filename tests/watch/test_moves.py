"""Moves of parameters that go the same way, and those that do not."""

from math import inf

import numpy as np
import pytest

from rosettabench.watch.agreement import Split
from rosettabench.watch.moves import ANYWHERE, APART, TOGETHER, Move, compare_moves, moved_tensors

SHAPES = {"kernel": (20, 30), "bias": (30,), "other": (30, 10)}
VOICES = {name: name for name in ("a", "b", "c")}


@pytest.fixture
def moved(tmp_path):
    """A function of {label: {tensor: way}}: everybody begins at the same place and goes that way."""

    def make(ways):
        random = np.random.default_rng(1)
        begin = {tensor: random.standard_normal(shape).astype(np.float32) for tensor, shape in SHAPES.items()}
        moves = {}
        for label, way in ways.items():
            files = []
            for name, arrays in (
                ("before", begin),
                ("after", {tensor: begin[tensor] + way[tensor] for tensor in SHAPES}),
            ):
                for tensor, array in arrays.items():
                    np.save(tmp_path / f"{label}-{name}-{tensor}.npy", array)
                files.append({tensor: str(tmp_path / f"{label}-{name}-{tensor}.npy") for tensor in SHAPES})
            moves[label] = Move(*files)
        return compare_moves(moves, SHAPES)

    return make


def step(scale=1.0, seed=0, noise=0.0):
    """A way of some length, the same for a seed, with noise of a relative size."""
    random, chance = np.random.default_rng(seed), np.random.default_rng()
    way = {tensor: 0.01 * scale * random.standard_normal(shape) for tensor, shape in SHAPES.items()}
    return {tensor: array * (1 + noise * chance.standard_normal(array.shape)) for tensor, array in way.items()}


def test_round_off_is_no_other_way(moved):
    found = moved({"a": step(), "b": step(noise=1e-3), "c": step(noise=1e-3)})
    assert found.odd_ones(VOICES).agree
    assert found.furthest < 0.01
    assert found.steepest < 1.01


@pytest.mark.parametrize("odd", [step(0.5), step(0), step(seed=3)], ids=["half of the way", "no way", "another way"])
def test_another_way_is_odd(moved, odd):
    assert moved({"a": step(), "b": odd, "c": step()}).odd_ones(VOICES) == Split(odd=("b",))


def test_what_agrees_is_told_without_the_odd_one(moved):
    """Who does not move at all is infinitely less far than the others, and they are as near as they are."""
    found = moved({"a": step(), "b": step(0), "c": step(noise=1e-3)})
    assert found.steepest == inf
    left = found.without({"b"})
    assert left.distance.keys() == {("a", "c")}
    assert left.steepest < 1.01


def test_far_apart_only_lengths_count(moved):
    """Where contenders have gone different ways before, they still go as far."""
    ways = {"a": step(seed=1), "b": step(seed=2), "c": step(0.6, seed=3)}
    assert moved(ways).odd_ones(VOICES, APART) == Split(odd=("c",))


def test_a_tensor_that_stands_still_is_named(moved):
    still = step() | {"bias": np.zeros(SHAPES["bias"])}
    found = moved({"a": step(), "b": still, "c": step()})
    assert {label: found.standing(label, TOGETHER) for label in VOICES} == {"a": None, "b": "bias", "c": None}
    assert found.odd_ones(VOICES) == Split(odd=("b",))


def test_gradient_descent_steps_as_far_as_the_slope_is_steep_and_yet_moves(moved):
    """Far apart, one may lie on a plateau that others have left; a tensor that nobody trains does not move at all."""
    ways = {"a": step(seed=1), "b": step(0.01, seed=2), "c": step(seed=3)}
    assert moved(ways).odd_ones(VOICES, ANYWHERE).agree
    assert moved(ways).odd_ones(VOICES, APART) == Split(odd=("b",))
    untrained = {**ways, "b": step(seed=2) | {"kernel": np.zeros(SHAPES["kernel"])}}
    assert moved(untrained).odd_ones(VOICES, ANYWHERE) == Split(odd=("b",))


def test_what_moves_by_round_off_alone_is_left_out(moved):
    """A bias in front of a normalisation has no gradient: where it goes, and how far, is chance."""
    ways = {label: step() | {"bias": 1e-7 * step(scale, seed)["bias"]} for label, scale, seed in
            (("a", 1, 1), ("b", 30, 2), ("c", 0, 3))}  # fmt: skip
    assert moved(ways).odd_ones(VOICES).agree


def test_what_the_reference_does_not_move_is_round_off(tmp_path):
    """A bias in front of a normalisation has no gradient in float64, and moves all the same in float32."""
    np.save(tmp_path / "begin.npy", np.zeros(3, np.float32))
    np.save(tmp_path / "moved.npy", np.full(3, 1e-3))
    files = {name: str(tmp_path / f"{name}.npy") for name in ("begin", "moved")}
    exact = Move({"kernel": files["begin"], "bias": files["begin"]}, {"kernel": files["moved"], "bias": files["begin"]})
    found = Move(exact.before, dict.fromkeys(exact.before, files["moved"]))
    everyone, voices = {"a": found, "reference": exact}, {"a": "a", "reference": "reference"}
    assert compare_moves(everyone, ["kernel", "bias"]).odd_ones(voices).undecided, "the bias stands still in one"
    assert moved_tensors(exact, ["kernel", "bias"]) == ["kernel"]
    assert compare_moves(everyone, moved_tensors(exact, ["kernel", "bias"])).odd_ones(voices).agree
