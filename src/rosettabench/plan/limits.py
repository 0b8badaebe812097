"""The limits of a run as the user states them. Contradictions are refused before anything starts."""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import UsageError
from rosettabench.plan.duration import read_duration

ROUNDS_EACH = 4
"""If the user asks for few rounds, processes are reduced until each has at least this many."""


@dataclass(frozen=True)
class Limits:
    """The user's limits of a run; None for a limit that is not stated. `full` trains the stated epochs.

    Raises UsageError for limits that contradict each other.
    """

    rounds: int | None = None
    precision: float | None = None
    seconds: float | None = None
    round_seconds: float | None = None
    processes: int | None = None
    budget: str | None = None
    full: bool = False

    def __post_init__(self) -> None:
        """Refuse `budget` beside `full`, `rounds` or `seconds`, and `full` beside a limit that would stop it."""
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
        """The seconds for the whole run; None without a budget. Raises UsageError if the budget is not a duration."""
        return read_duration(self.budget) if self.budget else None

    def stopping(self, usual: Stopping) -> Stopping:
        """Return the stopping rule of a contest: the usual one, with the limits that the user states."""
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
