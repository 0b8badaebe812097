"""Likely causes of an optimiser step, or a block of steps, that ends elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import isclose

import numpy as np

from rosettabench.proof.causes.case import FITS, Case
from rosettabench.proof.causes.precision import MANTISSAS, round_mantissa
from rosettabench.proof.comparison import relative
from rosettabench.proof.optimizers import CLIPPINGS, suspects
from rosettabench.proof.walk import Array, read_array

ALIKE = 1.5
"""A suspicion is as good as the best one if its deviation is at most this many times as large: both are round-off."""


def other_optimizer(case: Case) -> Iterator[str]:
    """Test for another optimiser, or other values, with which the contender's own gradients lead where it ended."""
    assert case.found is not None
    assert case.own is not None
    name, own = str(case.divergence.tensor), case.own
    if name not in case.found.parameters:
        yield f"{name} is not among the framework's parameters"
        return
    found = read_array(case.found.parameters, name)
    start = np.array(read_array(case.reference.start, name), np.float64)
    if np.array_equal(found, start.astype(found.dtype)):
        yield f"{name} does not move: the optimiser does not hold it"
        return
    if case.mixed and np.array_equal(found, round_mantissa(found, MANTISSAS[own.precision])):
        yield f"{name} is kept in {own.precision} between the steps: float32 is meant, but for products"
    if not own.has_formula:
        return
    ends = {sentence: partial(own.lead, name, **change) for sentence, change in suspects(case.optimizer).items()}
    longest = getattr(case.optimizer, "clip_norm", None)
    if longest is not None:
        for sentence, clip in CLIPPINGS.items():
            ends[sentence] = partial(own.lead, name, [clip(step, longest)[name] for step in own.unclipped])
    yield from best_fit(case, ends, found, float(np.linalg.norm(found - start)))


def best_fit(case: Case, ends: Mapping[str, Callable[[], Array]], found: Array, moved: float) -> Iterator[str]:
    """Yield the sentence for the optimiser that leads nearest to `found`, if it explains the deviation.

    `ends` maps sentences to where their optimisers lead. Some cannot be distinguished, since Adam's first step does not
    depend on the length of a gradient. Then all of them are named.
    """
    off = {sentence: relative(found, reach(), moved) for sentence, reach in ends.items()}
    best = min(off.values())
    if case.explains(best):
        yield ", or ".join(sentence for sentence, value in off.items() if value <= ALIKE * best)


def rate(case: Case) -> Iterator[str]:
    """Explain a wrong learning rate, constant or scheduled."""
    found = case.found.turn.learning_rate if case.found else None
    rates = [step.turn.learning_rate for step in case.reference.steps]
    if found is not None and len(set(rates)) > 1:
        still = isclose(found, rates[0] or 0.0, rel_tol=FITS)
        passed = "is still the first one: the schedule is not followed" if still else "is that of another epoch"
        yield f"the learning rate {passed} ({found:.4g}, not {case.exact.turn.learning_rate:.4g})"
    yield f"the optimiser uses the learning rate {found}, the workload states {case.exact.turn.learning_rate}"


def own_way(case: Case) -> Iterator[str]:
    """Say that guided steps are right, and unguided ones are not."""
    yield "each step is right from weights that are given, and not from those that it has made: it trains on older ones"


def block_loop(case: Case) -> Iterator[str]:
    """Say that single steps are right, and a block is not."""
    if str(case.divergence.tensor) not in case.exact.gradients:
        yield "a block of steps keeps other running statistics than the same steps one by one"
    yield "a block of steps ends elsewhere than the same steps one by one: its loop skips, repeats or reorders batches"
