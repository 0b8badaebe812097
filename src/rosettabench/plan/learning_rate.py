"""Schedules of the learning rate: their meaning for a workload, and how a worker counts epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosettabench.catalogue.optimizer import Steps
from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.errors import UsageError

CONSTANT = "constant"
"""The schedule with a constant rate."""

DECAY = "decay-0.9-every-10-epochs"
"""The schedule of the study borealis-2018."""

STEPS = "steps"
"""The schedule that a workload itself states, of a rate that falls in steps."""

COSINE = "warm-up-cosine"
"""The schedule that a workload itself states, of a rate that changes in every step."""

STATES = {STEPS: "steps", COSINE: "warm-up"}
"""What a workload states where it has one of these."""

SCHEDULES = (CONSTANT, DECAY, STEPS, COSINE)
"""Every value of the axis `schedule`."""


@dataclass(frozen=True)
class Pace:
    """Conversion of optimiser steps to epochs: step k, from 0, is in epoch ``k // steps_per_epoch * epochs_apart``."""

    steps_per_epoch: int
    epochs_apart: int = 1


def stated_schedule(workload: Workload) -> str:
    """Return the name of the schedule that a workload states; ``constant`` where it states none."""
    if workload.schedule is None:
        return CONSTANT
    return STEPS if isinstance(workload.schedule, Steps) else COSINE


def check_schedule(name: str, workload: Workload) -> None:
    """Raise UsageError if `name` asks for the workload's own schedule and it states none of that kind."""
    if name in (STEPS, COSINE) and name != stated_schedule(workload):
        able = ", ".join(one.name for one in all_workloads().values() if stated_schedule(one) == name)
        raise UsageError(
            f"{workload.name} states no {STATES[name]} of its learning rate: it has no schedule={name}",
            f"Name another schedule ({CONSTANT}, {DECAY})" + (f", or a workload that does: {able}." if able else "."),
        )


def pace_of_training(name: str, steps_per_epoch: int) -> Pace:
    """Return the pace of a training: a schedule that changes in every step counts each step as an epoch."""
    return Pace(1 if name == COSINE else steps_per_epoch)


def schedule_of(name: str, workload: Workload) -> dict[str, Any] | None:
    """Return a schedule as the protocol writes it (docs/reference/protocol.md, `open`); None for a constant rate.

    One that changes in every step is written out, step by step: every framework follows the same numbers.
    """
    if name == CONSTANT:
        return None
    if name == DECAY:
        return {"name": name, "factor": 0.9, "every": 10}
    stated = workload.schedule
    assert stated is not None  # check_schedule
    if isinstance(stated, Steps):
        return {"name": STEPS, "after": list(stated.after), "factors": list(stated.factors)}
    steps = range(stated.until + 1)
    return {"name": STEPS, "after": list(steps), "factors": [stated.factor(step) for step in steps]}
