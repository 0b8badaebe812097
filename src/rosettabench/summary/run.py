"""Summarise a run from the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosettabench.catalogue.workload import all_workloads
from rosettabench.plan.setting import distinguishing_words
from rosettabench.statistics.busy import mean_load
from rosettabench.store.machine import kinds_of_machines
from rosettabench.store.record import Finished, Interrupted, Resumed, RoundLoad
from rosettabench.summary.account import accounts
from rosettabench.summary.contest import fault, summarise_contest
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


def summarise(run: Run, measured: Sequence[CeilingSeries] = ()) -> RunSummary:
    """Return the summary of `run`, which must be fully loaded (Store.run).

    `measured` are the known ceilings of its machine; `measured_here` of ceilings/ceiling.py reads them.
    """
    names = contest_names(run)
    labels = dict.fromkeys(entry.label for contest in run.contests for entry in contest.entries if not entry.control_of)
    trainings = summarise_trainings(run)
    whole = [failure for failure in run.failures if failure.contest_id is None and failure.entry_id is None]
    contests = tuple(summarise_contest(run, contest, names[contest.id], measured) for contest in run.contests)
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


def contest_names(run: Run) -> dict[int, str]:
    """Return {contest id: name}: the workload, and settings unlike other contests or the usual."""
    named = {}
    for contest in run.contests:
        siblings = [other.setting for other in run.contests if other.workload == contest.workload]
        known = all_workloads().get(contest.workload)
        words = distinguishing_words(contest.setting, siblings, known) or [f"contest {contest.id}"] * (
            len(siblings) > 1
        )
        named[contest.id] = ", ".join([contest.workload, *words])
    return named


def state(run: Run) -> RunState:
    """Return how the run ended: the last of the events that begin or end a run."""
    ends = [event.kind for event in run.events if event.kind in STATES]
    return STATES[ends[-1]] if ends else RunState.NOT_FINISHED
