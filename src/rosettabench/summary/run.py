"""Summarise a run from the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosettabench.statistics.busy import mean_load
from rosettabench.store.machine import kinds_of_machines
from rosettabench.store.record import Finished, Interrupted, Resumed, RoundLoad
from rosettabench.summary.account import accounts
from rosettabench.summary.contest import summarise_contest
from rosettabench.summary.measured_contest import MeasuredContest, fault, measured_contests
from rosettabench.summary.records import RunState, RunSummary
from rosettabench.summary.trainings import summarise_trainings

if TYPE_CHECKING:
    from rosettabench.ceilings.series import CeilingSeries
    from rosettabench.store.schema import Run

STATES = {
    Resumed.KIND: RunState.NOT_FINISHED,
    Interrupted.KIND: RunState.INTERRUPTED,
    Finished.KIND: RunState.FINISHED,
}
"""{kind of an event that begins or ends a run: the state of the run after it}."""


def summarise(
    run: Run, ceilings: Sequence[CeilingSeries] = (), measured: Sequence[MeasuredContest] | None = None
) -> RunSummary:
    """Return the summary of `run`, which must be fully loaded (Store.run).

    `ceilings` are the known ones of its machine; `measured_here` of ceilings/ceiling.py reads them. `measured` are its
    contests, if they are at hand.
    """
    measured = measured_contests(run) if measured is None else measured
    labels = dict.fromkeys(entry.label for contest in run.contests for entry in contest.entries if not entry.control_of)
    trainings = summarise_trainings(run)
    whole = [failure for failure in run.failures if failure.contest_id is None and failure.entry_id is None]
    contests = tuple(summarise_contest(one, ceilings) for one in measured)
    kinds = kinds_of_machines(one.machine for one in contests if one.timed)
    return RunSummary(
        id=run.id,
        at=run.at,
        version=run.version,
        state=state(run),
        command=tuple(run.command),
        machine=dict(kinds[0]) if len(kinds) == 1 else run.machine,
        load=mean_load(rounds) if (rounds := RoundLoad.all_of(run.events)) else None,
        labels=(*labels, *(trainings.request.libraries if trainings else ())),
        contests=contests,
        faults=tuple(fault(failure, "", "") for failure in whole),
        trainings=trainings,
        accounts=accounts(trainings, contests),
    )


def state(run: Run) -> RunState:
    """Return how the run ended: the last of the events that begin or end a run."""
    ends = [event.kind for event in run.events if event.kind in STATES]
    return STATES[ends[-1]] if ends else RunState.NOT_FINISHED
