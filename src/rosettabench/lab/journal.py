"""The journal: what happens in a run, in one of its contests or to one of its entries, on its way to the store."""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.errors import WorkerError
from rosettabench.store.record import Record
from rosettabench.store.schema import Event, Failure
from rosettabench.store.store import Store, now


@dataclass(frozen=True)
class Journal:
    """Writes events and failures of one place: a whole run, or a contest or an entry of it."""

    store: Store
    run: str
    contest: int | None = None
    entry: int | None = None

    def event(self, record: Record) -> None:
        """Write down that something happened."""
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

    def failure(self, stage: str, error: WorkerError) -> None:
        """Write down that something failed at a stage of the contest, with its cause."""
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
