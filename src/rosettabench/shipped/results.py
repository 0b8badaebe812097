"""The results of a run of trainings so far, read from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosettabench.shipped.record import Absence, FinishedTraining, Installed, TrainingPace, UsedSet
from rosettabench.store.record import Record

if TYPE_CHECKING:
    from rosettabench.store.schema import Run

RECORDS: tuple[type[Record], ...] = (Installed, UsedSet, TrainingPace, FinishedTraining, Absence)


@dataclass
class Results:
    """All records of one run; a later record replaces an earlier one with its key.

    The key of `sets` and `paces` is the name of the set, that of `installed` the library; trainings have set, library,
    seed and epochs, absences have set, library and seed.
    """

    sets: dict[str, UsedSet] = field(default_factory=dict)
    installed: dict[str, Installed] = field(default_factory=dict)
    paces: dict[str, TrainingPace] = field(default_factory=dict)
    trainings: dict[tuple[str, str, int, int], FinishedTraining] = field(default_factory=dict)
    absences: dict[tuple[str, str, int | None], Absence] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Results:
        """Return the results of a run."""
        return cls.read((event.kind, event.payload) for event in run.events)

    @classmethod
    def read(cls, events: Iterable[tuple[str, Mapping[str, Any]]]) -> Results:
        """Return the results in events, (kind, payload) each, in their order."""
        found, kinds = cls(), {record.KIND: record for record in RECORDS}
        for kind, payload in events:
            if kind in kinds:
                found.take(kinds[kind].model_validate(payload))
        return found

    def take(self, record: Record) -> None:
        """Add one record. A finished training removes its absence."""
        if isinstance(record, UsedSet):
            self.sets[record.series] = record
        elif isinstance(record, Installed):
            self.installed[record.library] = record
        elif isinstance(record, TrainingPace):
            self.paces[record.series] = record
        elif isinstance(record, FinishedTraining):
            self.trainings[record.series, record.library, record.seed, record.epochs] = record
            for seed in (record.seed, None):
                self.absences.pop((record.series, record.library, seed), None)
        elif isinstance(record, Absence):
            self.absences[record.series, record.library, record.seed] = record

    def training(self, series: str, library: str, seed: int, epochs: int) -> FinishedTraining | None:
        """Return one training; None if it has not been done."""
        return self.trainings.get((series, library, seed, epochs))

    def has(self, series: str, library: str, seed: int, epochs: int) -> bool:
        """Return whether a training has been done."""
        return (series, library, seed, epochs) in self.trainings
