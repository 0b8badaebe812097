"""How many steps a proof takes, and how far apart they are on the schedule of the learning rate."""

from __future__ import annotations

from math import ceil

from rosettabench.catalogue.optimizer import Steps
from rosettabench.catalogue.workload import Workload
from rosettabench.plan.learning_rate import Pace

STEPS = 10
"""Optimiser steps of a proof: enough for momentum, bias correction and running averages to show."""

EPOCHS_APART = 20
"""Epochs from one step of a proof to the next: so ten steps meet every boundary that schedules of the learning rate
have (80, 120, 160 and 180, or each tenth), and whoever is an epoch early or late is at another rate."""


def steps_of(workload: Workload) -> int:
    """Return the optimiser steps of a workload's proof."""
    return workload.proof.steps or STEPS


def pace_of(workload: Workload) -> Pace:
    """Return how the steps of a workload's proof become epochs: each is in one of its own.

    Where they are too few to come to the last boundary that the workload states, they are further apart, by whole tens:
    the last step meets it.
    """
    stated = workload.schedule
    last = 0 if stated is None else stated.after[-1] if isinstance(stated, Steps) else stated.until
    return Pace(1, max(EPOCHS_APART, 10 * ceil(last / (10 * max(1, steps_of(workload) - 1)))))
