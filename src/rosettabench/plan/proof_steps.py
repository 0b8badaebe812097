"""The steps of a proof, and their places on the schedule of the learning rate."""

from __future__ import annotations

from math import ceil

from rosettabench.catalogue.optimizer import Steps
from rosettabench.catalogue.workload import Workload
from rosettabench.plan.learning_rate import Pace

STEPS = 10
"""The optimiser steps of a proof: enough for momentum, bias correction and running averages to take effect."""

EPOCHS_APART = 20
"""Epochs between two steps of a proof. Ten steps then meet every boundary of the usual schedules (80, 120, 160 and 180,
or each tenth), and a contender that changes the rate one epoch early or late has another rate at a step."""


def steps_of(workload: Workload) -> int:
    """Return the number of optimiser steps in a workload's proof."""
    return workload.proof.steps or STEPS


def pace_of(workload: Workload) -> Pace:
    """Return the conversion of the proof's steps to epochs: each step is in its own epoch.

    If that would not reach the last boundary of the workload's schedule, the epochs are further apart, by whole tens,
    so that the last step meets it.
    """
    stated = workload.schedule
    last = 0 if stated is None else stated.after[-1] if isinstance(stated, Steps) else stated.until
    return Pace(1, max(EPOCHS_APART, 10 * ceil(last / (10 * max(1, steps_of(workload) - 1)))))
