"""The part of a suite that can run here: the catalogue may lack some of a study's libraries and axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.suite import Suite
from rosettabench.catalogue.workload import all_workloads
from rosettabench.data.choice import DataChoice
from rosettabench.errors import UsageError
from rosettabench.plan.series import SERIES, on_series
from rosettabench.plan.setting import AXES, Value, why_unequal
from rosettabench.resources.processors import usable_cores


@dataclass(frozen=True)
class Scope:
    """The part of a suite that can run here, and sentences on what it `lacks`."""

    workloads: tuple[str, ...]
    contenders: tuple[str, ...]
    axes: dict[str, dict[str, list[Value]]]
    lacks: tuple[str, ...]


def scope(suite: Suite, gpus: int, real: Callable[[str], bool] = lambda _: True) -> Scope:
    """Return the part of a suite that can run on a machine with `gpus` GPUs; `real` tells which data have originals.

    A suite without a study must be complete. It is returned unchanged, and whatever it lacks is an error later. Raises
    UsageError if nothing is left of a study's suite.
    """
    if not suite.study:
        return Scope(suite.workloads, suite.contenders, suite.axes, ())
    workloads = tuple(name for name in suite.workloads if name in all_workloads())
    lacks = [f"There is no workload {name} here yet." for name in suite.workloads if name not in workloads]
    contenders = tuple(name for name in suite.contenders if is_known(name))
    lacks += [f"There is no contender {name} here yet." for name in suite.contenders if name not in contenders]
    if not workloads or not contenders:
        raise UsageError(
            f"nothing of the suite {suite.name} can be run here: {' '.join(lacks)}",
            f"rosetta claims {suite.study} says what each of its claims would take.",
        )
    axes = {}
    for workload in workloads:
        axes[workload], missing = usable_axes(workload, suite.axes.get(workload, {}), gpus, real)
        lacks += [f"{workload}: {one}" for one in missing]
    return Scope(workloads, contenders, axes, tuple(dict.fromkeys(lacks)))


def is_known(contender: str) -> bool:
    """Return whether the catalogue has a contender."""
    try:
        parse_contender(contender)
    except UsageError:
        return False
    return True


def usable_axes(
    workload: str, asked: dict[str, list[Value]], gpus: int, real: Callable[[str], bool]
) -> tuple[dict[str, list[Value]], list[str]]:
    """Return the values on each axis that can be used here, and sentences on the others."""
    usable, lacks = {}, []
    for axis, values in asked.items():
        if axis not in AXES:
            lacks.append(f"there is no axis {axis} here yet ({', '.join(map(str, values))}).")
            continue
        kept = [value for value in values if readable(axis, value) and at_hand(workload, axis, value, gpus, real)]
        gone = [str(value) for value in values if value not in kept]
        verb = "is" if len(gone) == 1 else "are"
        lacks += [f"{axis} {', '.join(gone)} {verb} not available here."] if gone else []
        if kept:
            usable[axis] = kept
    return usable, lacks


def at_hand(workload: str, axis: str, value: Value, gpus: int, real: Callable[[str], bool]) -> bool:
    """Return whether the requirement of a value is met: a GPU, processors, a file of series, or the original data."""
    if value == "cuda":
        return gpus > 0
    if axis == "devices":
        return int(value) <= usable_cores() and why_unequal(all_workloads()[workload], int(value)) is None
    if axis == SERIES:
        return real(on_series(all_workloads()[workload], str(value)).data.set)
    return value != DataChoice.REAL or real(all_workloads()[workload].data.set)


def readable(axis: str, value: Value) -> bool:
    """Return whether an axis accepts a value."""
    try:
        AXES[axis](str(value))
    except UsageError:
        return False
    return True
