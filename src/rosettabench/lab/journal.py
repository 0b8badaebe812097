"""The journal: writes what happens in a run, a contest or an entry to the store."""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.errors import WorkerError
from rosettabench.store.record import FailureStage, Record
from rosettabench.store.schema import Event, Failure
from rosettabench.store.store import Store, now


@dataclass(frozen=True)
class Journal:
    """Stores events and failures of a whole run, or of one contest or entry in it."""

    store: Store
    run: str
    contest: int | None = None
    entry: int | None = None

    def event(self, record: Record) -> None:
        """Store an event."""
        self.store.add(
            Event(
                run_id=self.run,
                contest_id=self.contest,
                entry_id=self.entry,
                at=now(),
                kind=record.KIND,
                payload=record.payload(),
            )
        )

    def failure(self, stage: FailureStage, error: WorkerError) -> None:
        """Store a failure at a stage of the contest, with its cause."""
        self.store.add(
            Failure(
                run_id=self.run,
                contest_id=self.contest,
                entry_id=self.entry,
                at=now(),
                stage=stage,
                kind=error.kind,
                what=error.what,
                hint=error.hint,
                details=error.details,
            )
        )
