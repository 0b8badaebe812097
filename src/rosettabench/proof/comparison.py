"""Numbers held against the reference's: how far off, in units that mean the same for every tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf, isfinite, sqrt
from typing import Self

import numpy as np

from rosettabench.proof.walk import Array, Files, Walked, read_array

NOTHING = 1e-6
"""The share of the norm of all gradients together up to which one is nothing but float32 round-off."""

LEAST = 1e-4
"""The share of the norm of all tensors together below which no single one is taken for a scale."""


@dataclass(frozen=True)
class Deviation:
    """How far one quantity of one step is from the reference.

    `value` is relative: the norm of the difference over the norm of the reference, where the reference of a parameter
    is how far it has moved since the start. A mistake in the update shows there, undiluted by the weights' own size.
    `step` is None for what is compared once, at the end.
    """

    quantity: str
    step: int | None
    tensor: str | None
    value: float


@dataclass(frozen=True)
class Exact(Walked):
    """A step of the reference: what the others are held against, and what their deviations are measured in.

    It has begun with the weights `start`, whatever steps lay before it. The norms of its files are worked out once,
    however many are held against it. `outputs` as a workload states them.
    """

    start: Files
    outputs: tuple[str, ...] = ()

    @classmethod
    def of(cls, step: Walked, start: Files, outputs: tuple[str, ...] = ()) -> Self:
        """Return a step that the reference has walked from `start`."""
        return cls(step.step, step.batch, step.gradients, step.parameters, step.turn, start, outputs)

    @cached_property
    def sizes(self) -> dict[str, float]:
        """The norm of the gradient of each tensor that has one."""
        return {name: norm(read_array(self.gradients, name)) for name in self.start if name in self.gradients}

    @cached_property
    def still(self) -> set[str]:
        """The names of the tensors whose gradient is zero by mathematics, or so nearly.

        It is exactly so where the formulas leave the tensor out, and round-off where only all of them together do: a
        shift that nothing but linear layers, and ReLUs that are open, part from the next normalisation. Adam makes full
        steps of that, up or down by chance.
        """
        whole = hypot(*self.sizes.values())
        return {name for name, size in self.sizes.items() if size <= NOTHING * whole}

    @cached_property
    def ways(self) -> dict[str, float]:
        """The norm of how far each tensor has moved from the start."""
        return distances(self.parameters, self.start)


def relative(found: Array, reference: Array, scale: float | None = None) -> float:
    """Return ‖found - reference‖ / scale, infinite where shapes differ or a value is not finite.

    `scale` is the norm of the reference where none is given. Where it is zero, only equality has the deviation 0.
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
    """Yield every deviation of one step but its update's, in the order in which a mistake would first show.

    A learning rate that the framework cannot tell is seen in what it makes of the parameters.
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

    Of those that are `wandering` nothing is said: where they go is chance, in the reference as in a contender.
    """
    trained = {name: way for name, way in exact.ways.items() if name in exact.gradients and name not in wandering}
    yield from off_tensors(found.parameters, exact.parameters, trained, found.step, "parameter")


def compare_gradients(found: Files, exact: Exact) -> Iterator[Deviation]:
    """Yield the deviation of the gradient of each tensor that has one in a step of the reference."""
    yield from off_tensors(found, exact.gradients, exact.sizes, exact.step, "gradient")


def off_logits(
    found: Array, reference: Array, step: int | None, quantity: str, outputs: tuple[str, ...] = ()
) -> Iterator[Deviation]:
    """Yield the deviation of logits, (samples, …, classes), all in one norm; of named `outputs`, each by itself.

    The parameters of a distribution are such: a location may be ten thousand where degrees of freedom are three, and in
    a common norm nobody would see these.
    """
    if not outputs or found.shape != reference.shape:
        yield Deviation(quantity, step, None, relative(found, reference))
        return
    for place, name in enumerate(outputs):
        yield Deviation(quantity, step, name, relative(found[..., place], reference[..., place]))


def compare_parameters(
    found: Files, reference: Files, start: Files, step: int | None, quantity: str
) -> Iterator[Deviation]:
    """Yield the deviation of every parameter of `start`, relative to how far the reference has moved from there."""
    yield from off_tensors(found, reference, distances(reference, start), step, quantity)


def distances(parameters: Files, start: Files) -> dict[str, float]:
    """Return the norm of how far each tensor of `start` has moved from there."""
    return {
        name: norm(np.subtract(read_array(parameters, name), read_array(start, name), dtype=np.float64))
        for name in start
    }


def off_tensors(
    found: Files, reference: Files, scales: dict[str, float], step: int | None, quantity: str
) -> Iterator[Deviation]:
    """Yield the deviation of every tensor relative to its scale; infinite where the contender has none of that name.

    A tensor with the scale zero, or NOTHING of all of them, has no gradient by mathematics: a bias in front of a batch
    normalisation, which takes it out again. There honest float32 has round-off, which is measured against the norm of
    all tensors together. One below LEAST is what larger numbers left when they cancelled, and is measured against that.
    """
    whole = sqrt(sum(scale**2 for scale in scales.values()))
    for name, scale in scales.items():
        least = max(scale, LEAST * whole) if scale > NOTHING * whole else whole
        off = relative(read_array(found, name), read_array(reference, name), least) if name in found else inf
        yield Deviation(quantity, step, name, off)


def norm(array: Array) -> float:
    """Return the Euclidean norm of all numbers of an array, in float64."""
    # Not `np.linalg.norm`: its BLAS spreads a sum over all processors, and waits for those that workers compute on.
    flat = array.astype(np.float64, copy=False).ravel()
    return float(np.sqrt(np.einsum("i,i->", flat, flat)))


def off(found: float | None, reference: float | None) -> float:
    """Return the relative deviation of a number; None stands for one that was not finite."""
    if found is None or reference is None:
        return inf
    return relative(np.array([found]), np.array([reference]))


def canonical_form(found: Array, reference: Array) -> Array:
    """Return a batch in the canonical layout: channels-last images are turned, anything else stays as it is."""
    if found.ndim == 4 and found.shape != reference.shape:
        found = found.transpose(0, 3, 1, 2)
    return found
