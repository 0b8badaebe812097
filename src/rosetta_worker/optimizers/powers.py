"""Counts the updates of an Adam that keeps no count of them, but a power of its second beta."""

from math import ceil, log

import numpy as np


def updates_of(power, beta, begins=None):
    """Return how often an optimiser has multiplied `power` with `beta` in float32; None if that can't be told.

    It begins with `beta` itself, or with what `begins` says. Every product is rounded, so the power computed at once
    would be another number. A power that is too small for float32 tells nothing.
    """
    factors = np.full(ceil(log(np.finfo(np.float32).tiny) / log(beta)), beta, np.float32)
    if begins is not None:
        factors[0] = begins
    (counts,) = np.nonzero(np.multiply.accumulate(factors) == np.float32(power))
    return int(counts[0]) if len(counts) else None
