"""Schedules of the learning rate: the epoch of a step, and the factor of the rate in an epoch."""

import numpy as np


def factor(schedule, epoch):
    """Return the factor of the initial learning rate in `epoch`, counted from 0.

    `schedule` has either `factor`, which multiplies the rate after every `every` epochs; or `after`, epochs in
    ascending order, and `factors`, of which the one for the latest of these epochs counts.
    """
    if hasattr(schedule, "every"):
        return schedule.factor ** (epoch // schedule.every)
    begun = [part for after, part in zip(schedule.after, schedule.factors) if epoch >= after]
    return begun[-1] if begun else 1.0


class Calendar(object):
    """The epoch of each step: ``step // steps_per_epoch * epochs_apart``.

    `epochs_apart` is 1 except in a proof, whose few steps must cover many epochs. If epochs do not matter,
    `steps_per_epoch` is None, and all steps are in epoch 0.
    """

    def __init__(self, steps_per_epoch=None, epochs_apart=1):
        self.steps_per_epoch = steps_per_epoch
        self.epochs_apart = epochs_apart

    def epoch(self, step):
        """Return the epoch of a step."""
        return 0 if self.steps_per_epoch is None else step // self.steps_per_epoch * self.epochs_apart

    def parts(self, first, rows):
        """Return [(epoch, its rows)] of `rows`, in order; the first row belongs to the step `first`."""
        epochs = [self.epoch(first + place) for place in range(len(rows))]
        cuts = [place for place in range(1, len(rows)) if epochs[place] != epochs[place - 1]]
        return list(zip([epochs[place] for place in [0] + cuts], np.split(rows, cuts)))
