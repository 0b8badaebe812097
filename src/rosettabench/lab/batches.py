"""The order of the samples: one permutation per epoch, drawn here, the same for every contender."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import UsageError


def draw_batches(samples: int, batch_size: int, steps: int, seed: int) -> NDArray[np.int64]:
    """Return sample ids, (steps, batch_size): row k is what step k trains on.

    Each epoch is a permutation of all samples from NumPy's Philox generator with the key (seed, epoch); its last,
    partial batch is dropped. Raises UsageError where the batch is larger than the data set.
    """
    per_epoch = samples // batch_size
    if per_epoch == 0:
        raise UsageError(
            f"a batch of {batch_size} is larger than the data set of {samples} samples", "Choose a smaller batch_size."
        )
    epochs = [
        permutation(samples, seed, epoch)[: per_epoch * batch_size].reshape(per_epoch, batch_size)
        for epoch in range(ceil(steps / per_epoch))
    ]
    return np.concatenate(epochs)[:steps]


def permutation(samples: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """Return the order of the samples in one epoch."""
    return np.random.Generator(np.random.Philox(key=[seed, epoch])).permutation(samples)
