"""Likely causes of a deviating kept state, such as a running mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosettabench.proof.causes.case import Case
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import Array, read_array


def running_average(case: Case) -> Iterator[str]:
    """Test for a running mean or variance that keeps another share of itself, or adds another variance."""
    assert case.found is not None
    name = str(case.divergence.tensor)
    if name not in case.found.parameters:
        yield f"{name} is not among what the framework keeps"
        return
    old = case.weights()[name].astype(np.float64)
    found, exact = (read_array(step.parameters, name).astype(np.float64) for step in (case.found, case.exact))
    if np.array_equal(found, old.astype(np.float32)):
        yield f"{name} does not move: training passes do not update it"
    if case.normalisation is None:  # a folder states none: its original alone knows the momentum
        factor, off = best_factor(found - old, exact - old, float(np.linalg.norm(exact - old)))
        if case.explains(off):
            yield f"{name} moves {factor:.3g} times as far as it should: running averages have another momentum"
        return
    momentum = case.normalisation.momentum
    shares = {
        share: best_factor(found - share * old, exact - share * old, float(np.linalg.norm(exact - old)))
        for share in (1.0, momentum)
    }
    factor, off = shares[1.0]
    kept = f"{1 - factor * (1 - momentum):.3g}"
    if case.explains(off) and kept != f"{momentum:.3g}":
        yield f"running averages keep {kept} of themselves in a step, not {momentum}"
    factor, off = shares[momentum]
    if case.explains(off):
        samples = "" if factor <= 1 else f": the unbiased one, n / (n - 1) times, of n = {factor / (factor - 1):.0f}"
        yield f"{name} takes up {factor:.6g} times what the batch has{samples}"


def best_factor(found: Array, exact: Array, scale: float) -> tuple[float, float]:
    """Return the factor with which `exact` is closest to `found`, and the remaining deviation relative to `scale`."""
    factor = float(np.vdot(exact, found) / (np.vdot(exact, exact) or 1.0))
    return factor, relative(found, factor * exact, scale)
