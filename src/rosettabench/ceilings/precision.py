"""Precisions of matrix products, and whether a product was really computed in the one that was asked for."""

from __future__ import annotations

from math import sqrt

SIGNIFICANDS = {"float32": 24, "bfloat16": 8, "tf32": 11, "float64": 53}
"""Precision to the binary digits of its significand, the hidden one included: IEEE 754 for float32 and float64; Intel,
"BFLOAT16 hardware numerics definition" (2018); NVIDIA, "A100 tensor core GPU architecture" (2020) for TF32."""

ROUNDED_ONLY = frozenset({"bfloat16", "tf32"})
"""Precisions whose products are summed in float32: only the operands, and perhaps the result, are rounded to them."""


def plausible_errors(precision: str, size: int) -> tuple[float, float]:
    """Return the least and the greatest relative error of a product of (size, size) matrices in a precision.

    With u the unit round-off, half of 2^(1 - significand): the error is of the order of u where only operands are
    rounded, and up to sqrt(size) · u where each of `size` additions rounds by chance (Higham and Mary, "A new approach
    to probabilistic rounding error analysis", SIAM Journal on Scientific Computing 41, 2019). Independent errors of
    operands average out, and sums in blocks round less: a tenth of u is the least.
    """
    unit = 2.0 ** -SIGNIFICANDS[precision]
    return unit / 10, 2 * unit if precision in ROUNDED_ONLY else max(2.0, sqrt(size)) * unit


def precision_fault(precision: str, size: int, error: float) -> str | None:
    """Return the sentence that a product was computed in another precision than it says; None if it was not."""
    least, greatest = plausible_errors(precision, size)
    if least <= error <= greatest:
        return None
    how = "more exactly" if error < least else "less exactly"
    return f"computed {how} than {precision}: relative error {error:.1e}, expected {least:.1e} to {greatest:.1e}"
