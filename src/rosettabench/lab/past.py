"""Read how long contests took on this machine before: the basis of the next plan's estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rosettabench.plan.estimate import Past
from rosettabench.proof.register import known_seconds, read_register
from rosettabench.statistics.ranking import LOOKS
from rosettabench.store.machine import same_kind
from rosettabench.store.record import FigureName, Phase, Stopped
from rosettabench.store.store import events_of, machine_of

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest, Entry, Run
    from rosettabench.store.store import Store

PAST_RUNS = 5
"""How many of the latest runs an estimate uses."""


def read_past(store: Store, machine: Mapping[str, Any]) -> Past:
    """Return what the contests of the latest runs in `store` took on this machine, and proofs by the register."""
    runs = [store.run(run.id) for run in store.runs()[:PAST_RUNS]]
    return replace(past(runs, machine), proof_s=known_seconds(read_register()))


def past(runs: Iterable[Run], machine: Mapping[str, Any]) -> Past:
    """Return what the contests of `runs` took on this machine; `runs` has the newest first."""
    found = Past()
    for run in reversed(list(runs)):
        for contest in run.contests:
            if same_kind(machine_of(run, contest), machine):
                note(run, contest, found)
    return found


def note(run: Run, contest: Contest, found: Past) -> None:
    """Add what one contest took to `found`."""
    starts = start_seconds(run, contest)
    if starts is not None:
        found.start_s[contest.workload] = starts
    for entry in contest.entries:
        label = (contest.workload, entry.label.partition("#")[0])
        turns = [block for block in entry.blocks if block.phase == Phase.TURN]
        peaks = [figure.value for figure in entry.figures if figure.name == FigureName.PEAK_MEMORY]
        if turns:
            found.sample_s[label] = sum(turn.elapsed_s for turn in turns) / sum(turn.samples for turn in turns)
        if peaks:
            found.memory[label] = max(peaks)


def start_seconds(run: Run, contest: Contest) -> float | None:
    """Return the seconds of a contest outside its timed blocks, per contender and process; None if not known.

    They count from the first stored figure to the end. They are not known for a contest that was resumed or that a
    contender left.
    """
    ends = [event for event in events_of(run, contest) if event.kind == Stopped.KIND]
    endings = Stopped.all_of(ends)
    figures = [figure.at for entry in contest.entries for figure in entry.figures]
    if len(endings) != 1 or not figures or endings[0].turns_s is None or endings[0].out:
        return None
    processes = max(map(last_session, contest.entries))
    if processes > LOOKS * contest.stopping.get("processes", 1):
        return None
    wall = (datetime.fromisoformat(ends[0].at) - datetime.fromisoformat(min(figures))).total_seconds()
    return max(0.0, wall - endings[0].turns_s) / len(contest.entries) / processes


def last_session(entry: Entry) -> int:
    """Return how many processes an entry had."""
    return max((figure.session for figure in entry.figures), default=1)
