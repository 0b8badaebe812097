"""The share of the ceiling that a contender reaches: operations of a step, over its time, over the ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rosettabench.catalogue.operations import operations_of_step
from rosettabench.catalogue.workload import all_workloads
from rosettabench.ceilings.ceiling import ceilings
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.plan.series import STATED, on_series
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import PeakSummary

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest


def summarise_peak(contest: Contest, measured: Sequence[CeilingSeries]) -> PeakSummary:
    """Return the operations of the contest's workload, and the ceiling among `measured` that applies to its setting."""
    workload, setting = all_workloads().get(contest.workload), contest.setting
    workload = workload and on_series(workload, setting.get("series", STATED))
    counted = operations_of_step(workload) if workload else None
    inference = workload is not None and workload.inference is not None
    asked = PeakSummary(contest.workload, setting, inference, counted)
    if counted is None:
        return asked
    found = ceilings(measured, setting["threads"], setting["device"]).get(("product", setting["precision"]))
    return replace(asked, ceiling=found.rate, library=found.library) if found else asked


def rate(step: Estimate | None, peak: PeakSummary, batch_size: int) -> Estimate | None:
    """Return operations per second from seconds per step; None if either is unknown."""
    if step is None or peak.per_sample is None:
        return None
    return step.inverse(peak.per_sample * batch_size)


def share(achieved: Estimate | None, peak: PeakSummary) -> Estimate | None:
    """Return the share of the ceiling, which is taken as exact; None if either is unknown."""
    if achieved is None or peak.ceiling is None:
        return None
    ends = [None if end is None else end / peak.ceiling for end in (achieved.low, achieved.high)]
    return Estimate(achieved.value / peak.ceiling, ends[0], ends[1], achieved.rounds)
