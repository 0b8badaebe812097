"""The archive: the runs of a store that measured a workload on this machine, oldest first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from rosettabench.history.cell import Key, StoredContest, stored_contests
from rosettabench.store.machine import same_kind
from rosettabench.store.store import Store
from rosettabench.summary.measured_contest import measured_contests


class Archive:
    """All contests of one workload in a store, from one machine."""

    def __init__(self, store: Store, workload: str, machine: Mapping[str, Any]) -> None:
        """`machine` holds the facts of the machine. The store is read once, when contests are first needed."""
        self.store = store
        self.workload = workload
        self.machine = machine

    @cached_property
    def stored_contests(self) -> list[StoredContest]:
        """Every contest of the workload with timed rounds, oldest first."""
        placed = self.store.placed_runs()
        every = self.store.runs(self.workload)
        runs = [row for row in every if row.id in placed or same_kind(row.machine, self.machine)]
        found = [one for row in reversed(runs) for one in stored_contests(measured_contests(self.store.run(row.id)))]
        here = [one for one in found if same_kind(one.machine, self.machine)]
        return [one for one in here if any(cell.key.workload == self.workload for cell in one.cells.values())]

    def of(self, key: Key) -> list[StoredContest]:
        """Return the contests with a cell, oldest first."""
        return [one for one in self.stored_contests if one.find_cell(key)]
