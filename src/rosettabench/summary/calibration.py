"""The contests of this machine's calibration whose answer is known, from the store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rosettabench.errors import UsageError
from rosettabench.plan.request import CalibrateRequest, read_request
from rosettabench.statistics.calibration import KnownContest
from rosettabench.statistics.ranking import compare
from rosettabench.store.kind import RunKind, kind_of
from rosettabench.summary.measured_contest import MeasuredContest, measured_contests

if TYPE_CHECKING:
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store


def known_contests(runs: Iterable[Run]) -> list[KnownContest]:
    """Return two pairs for each calibration contest in `runs`: first copy and second, first copy and planted one."""
    return [
        known
        for run in runs
        for contest in measured_contests(run)
        for known in contests_of(contest, calibrate_request(run).planted)
    ]


def calibrate_request(run: Run) -> CalibrateRequest:
    """Return the request of a run of calibration contests."""
    asked = read_request(run.request)
    assert isinstance(asked, CalibrateRequest)
    return asked


def contests_of(one: MeasuredContest, planted: float) -> list[KnownContest]:
    """Return the pairs of one contest: the first copy and each other copy. The label tells the planted work."""
    rounds = {record.entry.label: record.rounds for record in one.entries}
    found = []
    for entry in one.contest.entries:
        if entry.control_of is None:
            continue
        pair = {label: rounds[label] for label in (entry.control_of, entry.label)}
        (verdict,) = compare(pair, one.confidence, one.margin, one.processes)
        found.append(KnownContest(verdict, entry.label, 1 + planted if entry.label.endswith("%") else 1.0))
    return found


def runs_alike(store: Store, request: CalibrateRequest) -> list[Run]:
    """Return the runs of a store that ask the same question as a request. Raises UsageError if there are none."""
    found = []
    for run in store.runs():
        asked = read_request(run.request) if kind_of(run.request) is RunKind.CALIBRATE else None
        if isinstance(asked, CalibrateRequest) and asked.question == request.question:
            found.append(store.run(run.id))
    if not found:
        raise UsageError("there are no calibration contests of this kind yet", "Leave --contests 0 out to make some.")
    return found
