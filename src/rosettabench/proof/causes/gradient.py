"""Likely causes of a deviating gradient."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np

from rosettabench.proof.causes.case import FITS, Case, numbers
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import read_array


def gradient_scale(case: Case) -> Iterator[str]:
    """Test for a gradient that is missing, zero, or a multiple of the reference's."""
    name = str(case.divergence.tensor)
    if case.found is None or name not in case.found.gradients:
        yield f"{name} has no gradient: it is not part of the model, or not trained"
        return
    found, exact = numbers(case, name)
    if not found.any():
        yield f"the gradient of {name} is zero: it is cut off from the loss"
        return
    batch, devices = len(read_array(case.exact.batch, "labels")), 1 + len(case.found.others)
    factor = float(np.vdot(exact, found) / np.vdot(exact, exact))
    if relative(found, factor * exact) < FITS and not isclose(factor, 1, rel_tol=FITS):
        meant = (
            "the sum over the devices; the mean is meant"
            if devices > 1 and isclose(factor, devices, rel_tol=FITS)
            else "the sum over the batch; the mean is meant"
            if isclose(factor, batch, rel_tol=FITS)
            else "rescaled or clipped"
        )
        yield f"the gradient is {factor:.4g} times what it should be: {meant}"


def missing_rows(case: Case) -> Iterator[str]:
    """Test for a matrix whose gradient is right except for rows without one, such as the padding of an embedding."""
    name = str(case.divergence.tensor)
    if case.found is None or name not in case.found.gradients:
        return
    found, exact = numbers(case, name)
    if exact.ndim != 2 or found.shape != exact.shape:
        return
    missing = exact.any(axis=1) & ~found.any(axis=1)
    if missing.any() and relative(found[~missing], exact[~missing]) < FITS:
        first, more = np.flatnonzero(missing)[:3], ", …" if missing.sum() > 3 else ""
        rows = f"{', '.join(map(str, first))}{more}"
        yield f"{name} has rows without a gradient ({rows}), and the others are right: padding, perhaps, is not trained"
