"""Numbers held against the reference's: how far off, in units that mean the same for every tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from rosettabench.proof.walk import Array, Files, Walked, read


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


def relative(found: Array, reference: Array, scale: float | None = None) -> float:
    """Return ‖found - reference‖ / scale, infinite where shapes differ or a value is not finite.

    `scale` is the norm of the reference where none is given. Where it is zero, only equality has the deviation 0.
    """
    if found.shape != reference.shape:
        return inf
    difference = float(np.linalg.norm(np.subtract(found, reference, dtype=np.float64).ravel()))
    if not isfinite(difference):
        return inf
    scale = float(np.linalg.norm(reference.astype(np.float64).ravel())) if scale is None else scale
    if scale == 0:
        return 0.0 if difference == 0 else inf
    return difference / scale


def compare_step(found: Walked, reference: Walked, start: Files) -> Iterator[Deviation]:
    """Yield every deviation of one step, in the order in which a mistake would first show."""
    step = found.step
    for name in ("inputs", "labels"):
        same = np.array_equal(
            canonical_form(read(found.batch, name), read(reference.batch, name)), read(reference.batch, name)
        )
        yield Deviation("batch", step, name, 0.0 if same else inf)
    yield Deviation("samples", step, None, 0.0 if found.turn.samples == reference.turn.samples else inf)
    yield Deviation("learning rate", step, None, off(found.turn.learning_rate, reference.turn.learning_rate))
    yield Deviation(
        "logits", step, None, relative(read(found.gradients, "logits"), read(reference.gradients, "logits"))
    )
    yield Deviation("loss", step, None, off(found.turn.loss, reference.turn.loss))
    for name in start:
        yield Deviation("gradient", step, name, off_tensor(found.gradients, reference.gradients, name))
    yield from compare_parameters(found.parameters, reference.parameters, start, step, "parameter")


def compare_parameters(
    found: Files, reference: Files, start: Files, step: int | None, quantity: str
) -> Iterator[Deviation]:
    """Yield the deviation of every parameter, relative to how far the reference has moved from `start`."""
    for name in start:
        if name not in found:
            yield Deviation(quantity, step, name, inf)
            continue
        target = read(reference, name).astype(np.float64)
        moved = float(np.linalg.norm((target - read(start, name)).ravel()))
        yield Deviation(quantity, step, name, relative(read(found, name), target, moved))


def off_tensor(found: Files, reference: Files, name: str) -> float:
    """Return the deviation of one gradient; infinite where the contender has none of that name."""
    return relative(read(found, name), read(reference, name)) if name in found else inf


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
