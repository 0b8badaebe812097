"""Random arrays of the shapes that a workload states: enough for a proof and for speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.data_entry import Draw, OwnDrawn
from rosettabench.data.own.packed import pack

SEEDS = {"train": 1, "labels": 2, "test": 3, "test_labels": 4}
"""The key of the Philox stream of each array."""


def draw_arrays(stated: OwnDrawn) -> dict[str, NDArray[Any]]:
    """Return {name: array} of both parts, always the same for the same statement."""
    counts = {"train": stated.samples, "labels": stated.samples, "test": stated.test, "test_labels": stated.test}
    rules = {"train": stated.inputs, "labels": stated.labels, "test": stated.inputs, "test_labels": stated.labels}
    return {name: draw_inputs(rule, counts[name], SEEDS[name]) for name, rule in rules.items() if rule is not None}


def draw_inputs(rule: Draw | dict[str, Draw], samples: int, seed: int) -> NDArray[Any]:
    """Return the only input, or several packed; the seeds of these are `SEEDS` apart."""
    if isinstance(rule, Draw):
        return draw(rule, samples, seed)
    return pack({name: draw(one, samples, seed + place * len(SEEDS)) for place, (name, one) in enumerate(rule.items())})


def draw(rule: Draw, samples: int, seed: int) -> NDArray[Any]:
    """Return an array of `samples` samples, (samples, …), drawn by a rule."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    shape = (samples, *rule.shape)
    if rule.below is not None:
        return generator.integers(0, rule.below, shape, dtype=np.int32)
    if rule.values == "uniform":
        return generator.random(shape, np.float32)
    return generator.standard_normal(shape, np.float32)
