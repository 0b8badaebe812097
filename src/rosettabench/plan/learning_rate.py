"""Schedules of the learning rate: their meaning for a workload, and how a worker counts epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.errors import UsageError

CONSTANT = "constant"
"""The schedule with a constant rate."""

DECAY = "decay-0.9-every-10-epochs"
"""The schedule of the study borealis-2018."""

STEPS = "steps"
"""The schedule that the workload states."""

SCHEDULES = (CONSTANT, DECAY, STEPS)
"""Every value of the axis `schedule`."""


@dataclass(frozen=True)
class Pace:
    """Conversion of optimiser steps to epochs: step k, from 0, is in epoch ``k // steps_per_epoch * epochs_apart``."""

    steps_per_epoch: int
    epochs_apart: int = 1


def check_schedule(name: str, workload: Workload) -> None:
    """Raise UsageError if `name` asks for the workload's own schedule and it states none."""
    if name == STEPS and workload.schedule is None:
        able = ", ".join(one.name for one in all_workloads().values() if one.schedule)
        raise UsageError(
            f"{workload.name} states no steps of its learning rate: it has no schedule={STEPS}",
            f"Name another schedule ({CONSTANT}, {DECAY}), or a workload that does: {able}.",
        )


def schedule_of(name: str, workload: Workload) -> dict[str, Any] | None:
    """Return a schedule as the protocol writes it (docs/reference/protocol.md, `open`); None for a constant rate."""
    if name == CONSTANT:
        return None
    if name == DECAY:
        return {"name": name, "factor": 0.9, "every": 10}
    assert workload.schedule is not None
    return {"name": name, "after": list(workload.schedule.after), "factors": list(workload.schedule.factors)}
