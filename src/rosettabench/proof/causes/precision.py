"""Likely causes that are a matter of how many bits a number has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosettabench.proof.causes.case import Case, numbers
from rosettabench.proof.causes.model import structure
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import Array

MANTISSAS = {"float16": 11, "bfloat16": 8, "tf32": 11}
"""Bits of the mantissa, the leading one included."""


def half_precision(case: Case) -> Iterator[str]:
    """An error as large as the one that weights rounded to float16 or bfloat16 would make."""
    if case.own is not None:
        return
    found, exact = numbers(case, "logits")
    for name in ("float16", "bfloat16"):
        rounded = {tensor: round_mantissa(array, MANTISSAS[name]) for tensor, array in case.weights().items()}
        expected = relative(case.reference.logits(case.divergence.step or 0, rounded), exact)
        if expected / 4 < relative(found, exact) < 4 * expected:
            other = " or ".join(structure(case))  # the size alone tells no more
            yield f"the deviation is as large as {name} would make it: something is in half precision, or {other}"


def size_of_half(case: Case) -> Iterator[str]:
    """Errors of the size that 8 to 11 bits of mantissa leave: 2⁻¹¹ = 5e-4 and 2⁻⁸ = 4e-3 for one rounding."""
    if 5e-5 < case.divergence.value < 3e-2 and case.own is None:
        yield "the deviation has the size of half-precision round-off: float16, bfloat16 or TF32 in this part of a step"


def too_exact(case: Case) -> Iterator[str]:
    """Logits that are as near to float64 as only float32 can be."""
    assert case.own is not None
    yield f"the logits are as exact as in float32: {case.own.precision} is not in force"


def round_mantissa(array: Array, bits: int) -> Array:
    """Return an array with its mantissas rounded to so many bits."""
    mantissa, exponent = np.frexp(array)
    rounded: Array = np.ldexp(np.round(mantissa * 2**bits) / 2**bits, exponent)
    return rounded
