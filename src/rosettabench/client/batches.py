"""Draw the batches of each step, identical for every contender.

Each epoch has one permutation of the samples, and for picture files also the crop and the flip of each sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import ceil

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.data_entry import Augmentation
from rosettabench.catalogue.workload import Workload
from rosettabench.data.prepared import Prepared
from rosettabench.errors import UsageError
from rosettabench.plan.setting import Setting

AUGMENTATION = 1
"""Philox counter at which the augmentation of an epoch begins; no permutation uses the stream that far."""


def draw_rows(workload: Workload, data: Prepared, setting: Setting, steps: int) -> NDArray[np.int64]:
    """Return the rows of `steps` steps as workers read them.

    They are sample ids, (steps, batch size). For picture files they are (steps, batch size, 4): the id, the first row
    and first column of the crop, and 1 if it is flipped.
    """
    ids = draw_batches(data.train.samples, setting.batch_size, steps, setting.seed)
    if data.pictures is None:
        return ids
    per_epoch = data.train.samples // setting.batch_size
    rows = np.empty((*ids.shape, 4), np.int64)
    rows[..., 0] = ids
    for epoch, first in enumerate(range(0, steps, per_epoch)):
        own = rows[first : first + per_epoch, :, 1:]
        drawn = draw_augmentation(workload.data.augmentation, data.pictures.side, own[..., 0].size, setting.seed, epoch)
        own[:] = drawn.reshape(own.shape)
    return rows


def candidates(workload: Workload, data: Prepared, setting: Setting) -> Iterator[NDArray[np.int64]]:
    """Yield the row of one sample after the other, as `draw_rows` draws them: all of the first epoch.

    For picture files later epochs follow, because each augments the samples differently.
    """
    samples, seed = data.train.samples, setting.seed
    if data.pictures is None:
        yield from permutation(samples, seed, 0)
        return
    for epoch in count():
        drawn = draw_augmentation(workload.data.augmentation, data.pictures.side, samples, seed, epoch)
        yield from np.column_stack([permutation(samples, seed, epoch), drawn])


def draw_augmentation(stated: Augmentation, side: int, samples: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """Return top, left and flip, (samples, 3), of the first `samples` samples of an epoch.

    They are computed from uniform numbers only: NumPy promises that these are equal in all its versions.
    """
    stream = np.random.Generator(np.random.Philox(key=[seed, epoch], counter=[0, 0, 0, AUGMENTATION]))
    numbers = stream.random((samples, 3))
    places = stated.places(side)
    numbers[:, :2] *= places
    numbers[:, 2] = numbers[:, 2] < stated.flip
    return numbers.astype(np.int64)


def draw_batches(samples: int, batch_size: int, steps: int, seed: int) -> NDArray[np.int64]:
    """Return sample ids, (steps, batch_size): step k trains on row k.

    Each epoch is a permutation of all samples from NumPy's Philox generator with the key (seed, epoch); its last,
    partial batch is dropped. Raises UsageError if the batch is larger than the data set.
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
