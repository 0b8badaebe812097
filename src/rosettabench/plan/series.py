"""The axis `series`: the set of the Monash archive on which a workload for time series trains."""

from __future__ import annotations

from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.errors import UsageError

SERIES = "series"
"""The name of the axis in settings and claims."""

STATED = "tourism_monthly"
"""The set that the workloads themselves state."""


def check_series(key: str, workload: Workload) -> None:
    """Raise UsageError if another set is asked for and a workload does not train on time series."""
    if key != STATED and not workload.data.series:
        able = ", ".join(one.name for one in all_workloads().values() if one.data.series)
        raise UsageError(f"{workload.name} trains on no time series: it has no series={key}", f"Available: {able}.")


def on_series(workload: Workload, key: str) -> Workload:
    """Return a workload on another set of the archive. The extents of its layers follow from the set's windows.

    Context and horizon are those of the catalogue, whatever the header of a file says. A workload that does not train
    on time series is returned unchanged.
    """
    if not workload.data.series or key == STATED:
        return workload
    from rosettabench.data.series.monash import monash_set  # it imports NumPy

    chosen = monash_set(key)
    steps = (chosen.context + chosen.horizon,)
    operations = {name: one.model_copy(update={"positions": steps}) for name, one in workload.operations.items()}
    data = workload.data.model_copy(update={"set": chosen.name})
    return workload.model_copy(update={"data": data, "operations": operations})
