"""Compare numbers with the reference's: relative deviations, with one meaning for every tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf, isfinite, sqrt
from typing import Self

import numpy as np

from rosettabench.proof.walk import Array, Files, Walked, read_array

NOTHING = 1e-6
"""A gradient up to this share of the norm of all gradients together is only float32 round-off."""

LEAST = 1e-4
"""The smallest scale of a tensor, as a share of the norm of all tensors together."""


@dataclass(frozen=True)
class Deviation:
    """How far one quantity of one step is from the reference.

    `value` is relative: the norm of the difference over the norm of the reference. For a parameter it is relative to
    the reference's move since the start, so that a mistake in the update is not diluted by the size of the weights.
    `step` is None for comparisons that are made once, at the end.
    """

    quantity: str
    step: int | None
    tensor: str | None
    value: float


@dataclass(frozen=True)
class Exact(Walked):
    """A step of the reference, with which the others are compared, and the scales of their deviations.

    `start` are the weights of the proof's start, also for later steps. The norms of its files are computed only once.
    `outputs` as a workload states them.
    """

    start: Files
    outputs: tuple[str, ...] = ()

    @classmethod
    def of(cls, step: Walked, start: Files, outputs: tuple[str, ...] = ()) -> Self:
        """Return a step of the reference's walk from `start`."""
        return cls(step.step, step.batch, step.gradients, step.parameters, step.turn, start, outputs)

    @cached_property
    def sizes(self) -> dict[str, float]:
        """The norm of the gradient, for each tensor that has one."""
        return {name: norm(read_array(self.gradients, name)) for name in self.start if name in self.gradients}

    @cached_property
    def still(self) -> set[str]:
        """The names of the tensors whose gradient is zero by mathematics, or nearly.

        It is exactly zero if the formulas do not use the tensor. It is round-off if its effect cancels, such as that of
        a shift with only linear layers and open ReLUs before the next normalisation. Adam turns round-off into full
        steps of random sign.
        """
        whole = hypot(*self.sizes.values())
        return {name for name, size in self.sizes.items() if size <= NOTHING * whole}

    @cached_property
    def ways(self) -> dict[str, float]:
        """The norm of each tensor's move from the start."""
        return distances(self.parameters, self.start)


def relative(found: Array, reference: Array, scale: float | None = None) -> float:
    """Return ‖found - reference‖ / scale; infinite if shapes differ or a value is not finite.

    `scale` is the norm of the reference by default. If it is zero, the deviation is 0 for equality, else infinite.
    """
    if found.shape != reference.shape:
        return inf
    difference = norm(np.subtract(found, reference, dtype=np.float64))
    if not isfinite(difference):
        return inf
    scale = norm(reference) if scale is None else scale
    if scale == 0:
        return 0.0 if difference == 0 else inf
    return difference / scale


def compare_step(found: Walked, exact: Exact) -> Iterator[Deviation]:
    """Yield every deviation of one step except its update, in the order in which a mistake would first show.

    A learning rate that the framework cannot report is checked through the parameters.
    """
    step = found.step
    for name in ("inputs", "labels"):
        same = np.array_equal(
            canonical_form(read_array(found.batch, name), read_array(exact.batch, name)), read_array(exact.batch, name)
        )
        yield Deviation("batch", step, name, 0.0 if same else inf)
    yield Deviation("samples", step, None, 0.0 if found.turn.samples == exact.turn.samples else inf)
    if found.turn.learning_rate is not None:
        yield Deviation("learning rate", step, None, off(found.turn.learning_rate, exact.turn.learning_rate))
    logits, target = read_array(found.gradients, "logits"), read_array(exact.gradients, "logits")
    yield from off_logits(logits, target, step, "logits", exact.outputs)
    yield Deviation("loss", step, None, off(found.turn.loss, exact.turn.loss))
    yield from compare_gradients(found.gradients, exact)
    kept = {name: way for name, way in exact.ways.items() if name not in exact.gradients}
    yield from off_tensors(found.parameters, exact.parameters, kept, step, "state")


def compare_update(found: Walked, exact: Exact, wandering: Collection[str]) -> Iterator[Deviation]:
    """Yield the deviation of each parameter that a step has trained.

    The `wandering` ones are skipped: they move at random, in the reference and in a contender.
    """
    trained = {name: way for name, way in exact.ways.items() if name in exact.gradients and name not in wandering}
    yield from off_tensors(found.parameters, exact.parameters, trained, found.step, "parameter")


def compare_gradients(found: Files, exact: Exact) -> Iterator[Deviation]:
    """Yield the deviation of each gradient in a step of the reference."""
    yield from off_tensors(found, exact.gradients, exact.sizes, exact.step, "gradient")


def off_logits(
    found: Array, reference: Array, step: int | None, quantity: str, outputs: tuple[str, ...] = ()
) -> Iterator[Deviation]:
    """Yield the deviation of logits, (samples, …, classes), in one norm, or separately for each of the named `outputs`.

    Outputs are named if they are the parameters of a distribution: with a location of ten thousand, a common norm would
    hide degrees of freedom of three.
    """
    if not outputs or found.shape != reference.shape:
        yield Deviation(quantity, step, None, relative(found, reference))
        return
    for place, name in enumerate(outputs):
        yield Deviation(quantity, step, name, relative(found[..., place], reference[..., place]))


def compare_parameters(
    found: Files, reference: Files, start: Files, step: int | None, quantity: str
) -> Iterator[Deviation]:
    """Yield the deviation of every parameter of `start`, relative to the reference's move from there."""
    yield from off_tensors(found, reference, distances(reference, start), step, quantity)


def distances(parameters: Files, start: Files) -> dict[str, float]:
    """Return the norm of each tensor's move from `start`."""
    return {
        name: norm(np.subtract(read_array(parameters, name), read_array(start, name), dtype=np.float64))
        for name in start
    }


def off_tensors(
    found: Files, reference: Files, scales: dict[str, float], step: int | None, quantity: str
) -> Iterator[Deviation]:
    """Yield the deviation of every tensor relative to its scale; infinite if the contender lacks it.

    A tensor whose scale is zero, or at most NOTHING of all together, has no gradient by mathematics, such as a bias in
    front of a batch normalisation, which removes it. Honest float32 has round-off there, measured relative to the norm
    of all tensors together. A scale below LEAST is the remainder of larger numbers that cancel; LEAST replaces it.
    """
    whole = sqrt(sum(scale**2 for scale in scales.values()))
    for name, scale in scales.items():
        least = max(scale, LEAST * whole) if scale > NOTHING * whole else whole
        off = relative(read_array(found, name), read_array(reference, name), least) if name in found else inf
        yield Deviation(quantity, step, name, off)


def norm(array: Array) -> float:
    """Return the Euclidean norm of all numbers of an array, in float64."""
    # Not `np.linalg.norm`: its BLAS uses all processors, and would wait for those on which workers compute.
    flat = array.astype(np.float64, copy=False).ravel()
    return float(np.sqrt(np.einsum("i,i->", flat, flat)))


def off(found: float | None, reference: float | None) -> float:
    """Return the relative deviation of a number; None means a number that was not finite."""
    if found is None or reference is None:
        return inf
    return relative(np.array([found]), np.array([reference]))


def canonical_form(found: Array, reference: Array) -> Array:
    """Return a batch in the canonical layout: channels-last images are transposed, others are unchanged."""
    if found.ndim == 4 and found.shape != reference.shape:
        found = found.transpose(0, 3, 1, 2)
    return found
