"""The axis `series`: which set of the Monash archive a workload on time series trains on."""

from __future__ import annotations

from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.errors import UsageError

SERIES = "series"
"""The axis, as settings and claims name it."""

STATED = "tourism_monthly"
"""The set that the workloads themselves state."""


def check_series(key: str, workload: Workload) -> None:
    """Raise UsageError where another set of time series is asked for and a workload trains on none."""
    if key != STATED and not workload.data.series:
        able = ", ".join(one.name for one in all_workloads().values() if one.data.series)
        raise UsageError(f"{workload.name} trains on no time series: it has no series={key}", f"There is: {able}.")


def on_series(workload: Workload, key: str) -> Workload:
    """Return a workload on another set of the archive: its layers are applied in as many steps as a window has there.

    These are context and horizon as the catalogue states them, whatever the header of a file says. A workload that
    trains on no time series stays as it is.
    """
    if not workload.data.series or key == STATED:
        return workload
    from rosettabench.data.series.monash import monash_set  # NumPy comes with it

    chosen = monash_set(key)
    steps = (chosen.context + chosen.horizon,)
    operations = {name: one.model_copy(update={"positions": steps}) for name, one in workload.operations.items()}
    data = workload.data.model_copy(update={"set": chosen.name})
    return workload.model_copy(update={"data": data, "operations": operations})
