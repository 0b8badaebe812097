"""Which share of the machine's ceiling a contender reaches: operations of a step, over its time, over the ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosettabench.catalogue.operations import operations_of_step
from rosettabench.catalogue.workload import all_workloads
from rosettabench.ceilings.ceiling import ceilings
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.plan.series import STATED, on_series
from rosettabench.summary import figures
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import PeakSummary

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest


def summarise_peak(contest: Contest, measured: Sequence[CeilingSeries]) -> PeakSummary:
    """Return the operations of the contest's workload, and the ceiling among `measured` that its setting is under."""
    workload = all_workloads().get(contest.workload)
    workload = workload and on_series(workload, contest.setting.get("series", STATED))
    counted = operations_of_step(workload) if workload else None
    if workload is None or counted is None:
        return PeakSummary(
            None, None, "", f"The operations of {contest.workload} are not counted: its statement has none."
        )
    setting = contest.setting
    threads, device, precision = setting["threads"], setting["device"], setting["precision"]
    step = figures.operations(counted * setting["batch_size"])
    asked = (
        f"The products of a {'step' if workload.inference is None else 'batch'} are {step}, counted from the workload"
    )
    found = ceilings(measured, threads, device).get(("product", precision))
    where = f"{precision} with {threads} {'thread' if threads == 1 else 'threads'} on {device}"
    if found is None:
        command = f"rosetta peak --threads {threads}" + (f" --device {device}" if device != "cpu" else "")
        sentence = f"{asked}. The ceiling of this machine in {where} is not measured yet: {command} does it."
        return PeakSummary(counted, None, "", sentence)
    reached = f"{figures.speed(found.rate)}, which {found.library} reached in matrix products"
    return PeakSummary(counted, found.rate, found.library, f"{asked}; the ceiling in {where} is {reached}.")


def rate(step: Estimate | None, peak: PeakSummary, batch_size: int) -> Estimate | None:
    """Return operations per second from seconds per step; None where either is unknown."""
    if step is None or peak.per_sample is None:
        return None
    return inverse(step, peak.per_sample * batch_size)


def share(achieved: Estimate | None, peak: PeakSummary) -> Estimate | None:
    """Return the share of the ceiling, which is taken as exact; None where either is unknown."""
    if achieved is None or peak.ceiling is None:
        return None
    ends = [None if end is None else end / peak.ceiling for end in (achieved.low, achieved.high)]
    return Estimate(achieved.value / peak.ceiling, ends[0], ends[1], achieved.rounds)


def inverse(time: Estimate, amount: float) -> Estimate:
    """Return `amount` over a time: the highest rate belongs to the lowest time."""
    low = None if time.high is None else amount / time.high
    high = None if time.low is None else amount / time.low
    return Estimate(amount / time.value, low, high, time.rounds)
