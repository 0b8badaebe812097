"""Plan the as-shipped trainings that a suite adds to its contests, and share the budget.

The contests come first and may take the share CONTESTS of the time; the trainings get the rest.
"""

from __future__ import annotations

from collections.abc import Iterable

from rosettabench.catalogue.suite import Suite
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.request import RunRequest, TrainingRequest
from rosettabench.plan.setting import Value
from rosettabench.resources.processors import usable_cores
from rosettabench.shipped.library import all_libraries

CONTESTS = 0.5
"""The share of a budget that the contests may take."""


def time_of_contests(time: float | None, request: RunRequest) -> float | None:
    """Return the seconds of a budget that the contests may take: all, unless trainings come after them."""
    return time * CONTESTS if time is not None and request.shipped else time


def split_names(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split names into contenders and libraries as shipped."""
    known, asked = all_libraries(), list(names)
    return tuple(one for one in asked if one not in known), tuple(one for one in asked if one in known)


def trainings_of(
    suite: Suite, request: RunRequest, libraries: tuple[str, ...], budget: float | None
) -> TrainingRequest | None:
    """Return the as-shipped trainings to add to the contests of a request, with its series and threads.

    None if the suite has no libraries, or no workload of the request trains on time series. `libraries` are those that
    the user named; if empty, all of the suite's train.
    """
    able = [name for name in request.workloads if find_workload(name).data.series]
    if libraries and not (suite.libraries and able):
        raise UsageError(
            f"{libraries[0]} trains as it is shipped, and is not a contender", "rosetta shipped trains it."
        )
    if not (suite.libraries and able):
        return None
    axes = request.axes_of(able[0])
    if "series" not in axes:
        raise UsageError(
            "no set of the study was found",
            "Name a folder that holds .tsf files with --data-dir, or a set: --set series=hospital",
        )
    data = str(single_value("data", axes, "found"))
    return TrainingRequest(
        sets=tuple(map(str, axes["series"])),
        libraries=libraries or suite.libraries,
        threads=int(single_value("threads", axes, usable_cores())),
        budget=budget,
        data_dir=str(request.data_dir) if request.data_dir else None,
        data=data,
        offline=request.offline,
    )


def single_value(axis: str, axes: dict[str, list[int | str]], usual: Value) -> Value:
    """Return the single value on an axis, or `usual`; raise UsageError for more than one."""
    values = axes.get(axis, [usual])
    if len(values) > 1:
        raise UsageError(
            f"{axis}={','.join(map(str, values))} gives the trainings as shipped more than one", "Name one."
        )
    return values[0]
