"""Schedules of the learning rate: which epoch a step is in, and what the rate is times in an epoch."""

import numpy as np


def factor(schedule, epoch):
    """Return what the first learning rate is multiplied by in `epoch`, counted from 0.

    `schedule` has either `factor`, by which the rate is multiplied whenever `every` epochs are over; or `after`, epochs
    in ascending order, and `factors`, of which the one counts whose epoch came last.
    """
    if hasattr(schedule, "every"):
        return schedule.factor ** (epoch // schedule.every)
    begun = [part for after, part in zip(schedule.after, schedule.factors) if epoch >= after]
    return begun[-1] if begun else 1.0


class Calendar(object):
    """Tells the epoch of each step: ``step // steps_per_epoch * epochs_apart``.

    `epochs_apart` is 1 but for a proof, whose few steps have to meet many epochs. Where nobody asks for epochs,
    `steps_per_epoch` is None, and all steps are in epoch 0.
    """

    def __init__(self, steps_per_epoch=None, epochs_apart=1):
        self.steps_per_epoch = steps_per_epoch
        self.epochs_apart = epochs_apart

    def epoch(self, step):
        """Return the epoch of a step."""
        return 0 if self.steps_per_epoch is None else step // self.steps_per_epoch * self.epochs_apart

    def parts(self, first, rows):
        """Return [(epoch, its rows)] of `rows`, the first of which is that of the step `first`; in order."""
        epochs = [self.epoch(first + place) for place in range(len(rows))]
        cuts = [place for place in range(1, len(rows)) if epochs[place] != epochs[place - 1]]
        return list(zip([epochs[place] for place in [0] + cuts], np.split(rows, cuts)))
