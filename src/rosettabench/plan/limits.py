"""When a run stops, as the user says it: limits that contradict each other are refused before anything is started."""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import UsageError
from rosettabench.plan.duration import read_duration

ROUNDS_EACH = 4
"""Rounds of a process below which fewer are started, where the user asks for few rounds."""


@dataclass(frozen=True)
class Limits:
    """What the user says of the end of a run; None where nothing is said. `full` trains the stated epochs.

    Raises UsageError where two of them decide the same.
    """

    rounds: int | None = None
    precision: float | None = None
    seconds: float | None = None
    round_seconds: float | None = None
    processes: int | None = None
    budget: str | None = None
    full: bool = False

    def __post_init__(self) -> None:
        if self.budget and (self.full or self.rounds or self.seconds):
            raise UsageError(
                "--budget decides on rounds and seconds; --full, --rounds and --seconds do, too", "Leave one out."
            )
        if self.full and (self.rounds or self.precision or self.seconds or self.processes):
            raise UsageError(
                "--full trains to the end; --rounds, --precision, --seconds and --processes would stop it",
                "Leave one out.",
            )

    @property
    def time(self) -> float | None:
        """The seconds for the whole run. Raises UsageError where the budget is no duration."""
        return read_duration(self.budget) if self.budget else None

    def stopping(self, usual: Stopping) -> Stopping:
        """Return when a contest ends: as usual, where the user says nothing."""
        processes = self.processes
        if self.rounds and not processes:
            processes = min(usual.processes, max(1, self.rounds // ROUNDS_EACH))
        said = {
            "rounds": (self.rounds, self.rounds) if self.rounds else None,
            "precision": self.precision,
            "seconds": self.seconds,
            "round_seconds": self.round_seconds,
            "processes": processes,
        }
        return usual.model_copy(update={name: value for name, value in said.items() if value is not None})
