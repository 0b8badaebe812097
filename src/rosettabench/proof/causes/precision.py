"""Likely causes: the precision of numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosettabench.proof.causes.case import Case, numbers
from rosettabench.proof.walk import Array, read_array

MANTISSAS = {"float16": 11, "bfloat16": 8, "tf32": 11}
"""Bits of the mantissa, including the leading one."""

HALF = ("float16", "bfloat16")

ALIKE = 0.6
"""Cosine from which on two deviations have one cause. The deviations from rounded weights and rounded inputs of a layer
are at a right angle: if both are rounded, each alone has a cosine of 0.7 with their sum. Unrelated deviations are at 0,
plus or minus 0.1 for a hundred logits."""

ALIKE_INPUTS = 0.95
"""Like ALIKE, for inputs: nothing else adds to their rounding, and rounded pictures deviate like rescaled ones."""

MOST_KERNELS = 12
"""Kernels are tried one by one only if there are at most this many; each takes the reference a few seconds."""


def half_precision(case: Case) -> Iterator[str]:
    """Test for logits that are half-precision numbers, or that deviate like the reference with rounded numbers.

    The direction of the deviation decides, not its size: a wrong epsilon causes a deviation of that size too.
    """
    if case.mixed:
        return
    found, exact = numbers(case, "logits")
    for name in HALF:
        if found.any() and np.array_equal(found, round_mantissa(found, MANTISSAS[name])):
            yield f"the logits are {name} numbers: the model ends in half precision"
            return
    if found.shape == exact.shape:
        off = np.subtract(found, exact, dtype=np.float64)
        seen = {what: cosine_between(off, logits - exact) for what, logits in rounded_logits(case)}
        best = max(seen, key=lambda what: seen[what])
        if seen[best] > (ALIKE_INPUTS if best.startswith("inputs") else ALIKE):
            yield f"the deviation is that of {best}: something is in half precision there"


def rounded_logits(case: Case) -> Iterator[tuple[str, Array]]:
    """Yield in words what is rounded (all weights, one kernel, or the inputs), and the reference's logits with it."""
    step, weights = case.divergence.step or 0, case.weights()
    inputs = np.array(read_array(case.exact.batch, "inputs"))
    kernels = [name for name, array in weights.items() if array.ndim > 1]
    for name in HALF:
        bits = MANTISSAS[name]
        rounded = {tensor: round_mantissa(array, bits) for tensor, array in weights.items()}
        yield f"weights in {name}", case.reference.logits(step, rounded)
        if inputs.dtype.kind == "f":
            yield f"inputs in {name}", case.reference.logits(step, weights, round_mantissa(inputs, bits))
        for kernel in kernels if len(kernels) <= MOST_KERNELS else ():
            yield f"{kernel} in {name}", case.reference.logits(step, weights | {kernel: rounded[kernel]})


def cosine_between(one: Array, other: Array) -> float:
    """Return the cosine of the angle between two deviations; 0 if one is zero, or if the sizes differ fourfold."""
    sizes = float(np.linalg.norm(one)), float(np.linalg.norm(other))
    if not all(sizes) or max(sizes) > 4 * min(sizes):
        return 0.0
    return float(np.vdot(one, other)) / (sizes[0] * sizes[1])


def half_numbers(case: Case) -> Iterator[str]:
    """Test for a gradient or a parameter with only half-precision numbers."""
    if case.found is None or case.mixed:
        return
    name = str(case.divergence.tensor)
    files = case.found.gradients if case.divergence.quantity == "gradient" else case.found.parameters
    array = read_array(files, name) if name in files else np.zeros(0)
    for half in HALF:
        if array.any() and np.array_equal(array, round_mantissa(array, MANTISSAS[half])):
            yield f"every number of {name} is one of {half}: it is kept, or computed, in half precision"


def too_exact(case: Case) -> Iterator[str]:
    """Say that logits are as exact as in float32."""
    assert case.own is not None
    yield f"the logits are as exact as in float32: {case.own.precision} is not in force"


def round_mantissa(array: Array, bits: int) -> Array:
    """Return an array with its mantissas rounded to `bits` bits."""
    mantissa, exponent = np.frexp(array)
    rounded: Array = np.ldexp(np.round(mantissa * 2**bits) / 2**bits, exponent)
    return rounded
