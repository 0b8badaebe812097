"""The machine of a contest. Its rounds may come from two machines of one kind; those of another kind do not count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosettabench.lab.journal import Journal
from rosettabench.store.machine import same_kind
from rosettabench.store.record import Dropped, MeasuredOn, Phase
from rosettabench.store.schema import Contest, Run
from rosettabench.store.store import Store, dropped_rounds, events_of, machine_of


def counted_rounds(run: Run, contest: Contest) -> list[int]:
    """Return the rounds of a contest, also incomplete ones, that no event excludes."""
    blocks = [block for entry in contest.entries for block in entry.blocks]
    return sorted({block.round for block in blocks if block.phase == Phase.TURN} - dropped_rounds(run, contest))


def settle(store: Store, run: Run, contest: Contest, node: str, here: Mapping[str, Any]) -> None:
    """Note that a contest is measured here from now on. If its rounds came from another kind, it begins anew.

    Their blocks stay in the store, and each of these rounds gets an event that it does not count.
    """
    journal = Journal(store, run.id, contest.id)
    before = machine_of(run, contest)
    if not same_kind(before, here):
        for number in counted_rounds(run, contest):
            journal.event(Dropped(round=number, why=f"measured on another kind of machine: {before.get('processor')}"))
    journal.event(MeasuredOn(node=node, machine=dict(here)))


def was_elsewhere(run: Run, contest: Contest, here: Mapping[str, Any]) -> bool:
    """Return whether a contest was measured on a node last, and that was another kind of machine."""
    on_node = MeasuredOn.last_of(events_of(run, contest)) is not None
    return on_node and not same_kind(machine_of(run, contest), here)
