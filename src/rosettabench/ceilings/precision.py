"""Check that a matrix product was really computed in the precision that was asked for."""

from __future__ import annotations

from math import sqrt

SIGNIFICANDS = {"float32": 24, "bfloat16": 8, "tf32": 11, "float64": 53}
"""Precision → bits of its significand, including the hidden one: IEEE 754 for float32 and float64; Intel, "BFLOAT16
hardware numerics definition" (2018); NVIDIA, "A100 tensor core GPU architecture" (2020) for TF32."""

ROUNDED_ONLY = frozenset({"bfloat16", "tf32"})
"""Precisions whose products are summed in float32; only the operands, and perhaps the result, are rounded to them."""


def plausible_errors(precision: str, size: int) -> tuple[float, float]:
    """Return the least and the greatest relative error of a chain of two products of (size, size) matrices.

    Let u be the unit round-off, 2^-significand. If only operands and results are rounded, the error is near u: five
    random roundings of 0.4 u each (root mean square) give 0.9 u, and truncation gives about 2 u. If each of `size`
    additions rounds at random, the error is up to sqrt(size) · u (Higham and Mary, "A new approach to probabilistic
    rounding error analysis", SIAM Journal on Scientific Computing 41, 2019), and less with blocked sums. In float64 it
    may be 0, because the product is compared with float64.
    """
    unit = 2.0 ** -SIGNIFICANDS[precision]
    if precision in ROUNDED_ONLY:
        return unit / 4, 4 * unit
    return 0.0 if precision == "float64" else unit / 10, max(4.0, sqrt(size)) * unit


def precision_fault(precision: str, size: int, error: float) -> str | None:
    """Return a sentence if a product was computed in another precision than stated; None if not."""
    least, greatest = plausible_errors(precision, size)
    if least <= error <= greatest:
        return None
    how = "more exactly" if error < least else "less exactly"
    return f"computed {how} than {precision}: relative error {error:.1e}, expected {least:.1e} to {greatest:.1e}"
