"""Likely causes where an optimiser step, or a block of them, leads elsewhere."""

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
"""How many times as far off as the best one another suspicion may be and still be as good: both leave round-off."""


def other_optimizer(case: Case) -> Iterator[str]:
    """An optimiser with other values, or another one, that leads the contender's own gradients where it ended."""
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
    """Yield what is said of the optimiser that leads nearest to what was `found`, if it explains that.

    `ends` are where optimisers lead, by what is said of them. Some cannot be told apart yet: to Adam's first step every
    length of a gradient is the same. Then all of them are named.
    """
    off = {sentence: relative(found, reach(), moved) for sentence, reach in ends.items()}
    best = min(off.values())
    if case.explains(best):
        yield ", or ".join(sentence for sentence, value in off.items() if value <= ALIKE * best)


def rate(case: Case) -> Iterator[str]:
    """The learning rate as such, and where it follows a schedule."""
    found = case.found.turn.learning_rate if case.found else None
    rates = [step.turn.learning_rate for step in case.reference.steps]
    if found is not None and len(set(rates)) > 1:
        still = isclose(found, rates[0] or 0.0, rel_tol=FITS)
        passed = "is still the first one: the schedule is not followed" if still else "is that of another epoch"
        yield f"the learning rate {passed} ({found:.4g}, not {case.exact.turn.learning_rate:.4g})"
    yield f"the optimiser uses the learning rate {found}, the workload states {case.exact.turn.learning_rate}"


def own_way(case: Case) -> Iterator[str]:
    """Steps that begin where they are told to are right, and those that go on from their own are not."""
    yield "each step is right from weights that are given, and not from those that it has made: it trains on older ones"


def block_loop(case: Case) -> Iterator[str]:
    """Single steps are right and a block is not."""
    yield "a block of steps ends elsewhere than the same steps one by one: its loop skips, repeats or reorders batches"
