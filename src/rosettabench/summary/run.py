"""A run from the store, summarised."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosettabench.catalogue.workload import all_workloads
from rosettabench.plan.setting import distinguishing_words
from rosettabench.statistics.busy import mean_load
from rosettabench.store.record import ENDS, Resumed, RoundLoad
from rosettabench.summary import figures
from rosettabench.summary.account import accounts
from rosettabench.summary.contest import fault, summarise_contest
from rosettabench.summary.records import RunSummary
from rosettabench.summary.trainings import summarise_trainings

if TYPE_CHECKING:
    from rosettabench.ceilings.series import CeilingSeries
    from rosettabench.store.schema import Run

MACHINE = {
    "processor": "Processor",
    "cores": "Cores",
    "memory_bytes": "Memory",
    "system": "System",
    "python": "Python of Rosettabench",
    "gpus": "GPUs",
}
"""What a run records about its machine, in the order in which it is shown; anything else follows under its own name."""


def summarise(run: Run, measured: Sequence[CeilingSeries] = ()) -> RunSummary:
    """Return what `run` says by itself; it has to be fully loaded (Store.run).

    `measured` is what is known of what its machine can do: `measured_here` of ceilings/ceiling.py reads it.
    """
    names = contest_names(run)
    labels = dict.fromkeys(entry.label for contest in run.contests for entry in contest.entries if not entry.control_of)
    trainings = summarise_trainings(run)
    whole = [failure for failure in run.failures if failure.contest_id is None and failure.entry_id is None]
    contests = tuple(summarise_contest(run, contest, names[contest.id], measured) for contest in run.contests)
    return RunSummary(
        id=run.id,
        at=run.at,
        version=run.version,
        state=state(run),
        command=shlex.join(run.command),
        machine=(*machine(run.machine), *load(run)),
        labels=(*labels, *(trainings.request.libraries if trainings else ())),
        contests=contests,
        faults=tuple(fault(failure, "", "") for failure in whole),
        trainings=trainings,
        accounts=accounts(trainings, contests),
    )


def contest_names(run: Run) -> dict[int, str]:
    """Return {contest id: name}: the workload, with the settings in which it is unlike others and unlike the usual."""
    named = {}
    for contest in run.contests:
        siblings = [other.setting for other in run.contests if other.workload == contest.workload]
        known = all_workloads().get(contest.workload)
        words = distinguishing_words(contest.setting, siblings, known) or [f"contest {contest.id}"] * (
            len(siblings) > 1
        )
        named[contest.id] = ", ".join([contest.workload, *words])
    return named


def state(run: Run) -> str:
    """Return how the run ended: the last of the events that begin or end a run."""
    ends = [event.kind for event in run.events if event.kind in [end.KIND for end in ENDS]]
    return ends[-1] if ends and ends[-1] != Resumed.KIND else "not finished"


def machine(found: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the machine as (name, value) pairs for people."""
    ordered = {**{name: found[name] for name in MACHINE if name in found}, **found}
    return tuple(
        (MACHINE.get(name, name.replace("_", " ")), machine_value(name, value)) for name, value in ordered.items()
    )


def load(run: Run) -> tuple[tuple[str, str], ...]:
    """Return what others computed during the rounds of a run, as a (name, value) pair; none where it is not known."""
    rounds = RoundLoad.all_of(run.events)
    if not rounds:
        return ()
    others, stolen = mean_load(rounds)
    shares = f"{figures.percent(others)} of the processors' time, the hypervisor {figures.percent(stolen)}"
    return (("Load during the rounds", f"other programs used {shares}"),)


def machine_value(name: str, value: object) -> str:
    """Return one property of the machine in words."""
    if name.endswith("_bytes") and isinstance(value, int | float):
        return figures.memory(value)
    if isinstance(value, list):
        return "; ".join(machine_value("", part) for part in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key.removesuffix('_bytes')} {machine_value(key, part)}" for key, part in value.items())
    return str(value)
