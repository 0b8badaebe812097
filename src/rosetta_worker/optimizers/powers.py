"""Counts the updates of an Adam that keeps no count of them, but a power of its second beta."""

import numpy as np


def updates_of(power, beta, begins=None):
    """Return how often an optimiser has multiplied `power` with `beta` in float32; None if that can't be told.

    It begins with `beta` itself, or with what `begins` says. Every product is rounded, so the power computed at once
    would be another number. A power that is too small for float32 tells nothing.
    """
    beta = np.float32(beta)
    product, count = beta if begins is None else np.float32(begins), 0
    while product > max(power, np.finfo(np.float32).tiny):
        product, count = product * beta, count + 1
    return count if product == power else None
