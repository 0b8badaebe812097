"""Likely causes where a gradient differs."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np

from rosettabench.proof.causes.case import FITS, Case, numbers
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import read


def gradient_scale(case: Case) -> Iterator[str]:
    """A gradient that is missing, zero, or a multiple of the reference's."""
    name = str(case.divergence.tensor)
    if case.found is None or name not in case.found.gradients:
        yield f"{name} has no gradient: it is not part of the model, or not trained"
        return
    found, exact = numbers(case, name)
    if not found.any():
        yield f"the gradient of {name} is zero: it is cut off from the loss"
        return
    batch = len(read(case.exact.batch, "labels"))
    factor = float(np.vdot(exact, found) / np.vdot(exact, exact))
    if relative(found, factor * exact) < FITS and not isclose(factor, 1, rel_tol=FITS):
        meant = (
            "the sum over the batch; the mean is meant"
            if isclose(factor, batch, rel_tol=FITS)
            else "rescaled or clipped"
        )
        yield f"the gradient is {factor:.4g} times what it should be: {meant}"
