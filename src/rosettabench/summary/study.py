"""A published study in a run: the outcomes of its claims, and its numbers then and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rosettabench.statistics.doubt import Doubt
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.note import Note


class ClaimFinding(StrEnum):
    """The possible outcomes of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not enough data"
    UNTESTABLE = "cannot be tested here"


@dataclass(frozen=True)
class Measurement:
    """A measured value with its interval, or the `reasons` for its absence.

    `what` names the two sides of the comparison. `run` and `contests` are where its rounds are stored. `rounds` is
    their number, 0 if the value does not come from rounds. `remarks` are notes on how it was measured. Differences in
    accuracy are fractions of 1; everything else is a ratio.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95
    rounds: int = 0
    paired: bool = True
    what: str = ""
    run: str = ""
    contests: tuple[str, ...] = ()
    remarks: tuple[Note, ...] = ()
    reasons: tuple[Doubt, ...] = ()
    missing: Note | None = None
    """The parts of the claim's scope that were not measured. A part can refute the claim, but cannot confirm it."""


@dataclass(frozen=True)
class PartOutcome:
    """The outcome of one part of a claim, with the measured number if there is one.

    `expected` are the ends of the published range; None for an order. `needs` are what a test here would need. `sight`
    explains the finding if the number does not: for an order the number of pairs, for a range how the value missed it.
    """

    name: str
    expected: tuple[float, float] | None
    finding: ClaimFinding
    measurement: Measurement = Measurement()
    needs: tuple[Note, ...] = ()
    sight: Note | None = None


@dataclass(frozen=True)
class MachineOutcome:
    """The outcome of a claim on one kind of machine, with the facts of one such machine."""

    machine: Mapping[str, Any]
    outcome: Outcome


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim and of its parts.

    `machines` are the outcomes on each kind of machine, if there are several and one has measured it: then `finding` is
    that of all of them together, and `parts` are those of the first one that decides.
    """

    id: str
    study: str
    says: str
    published: str
    note: str
    finding: ClaimFinding
    parts: tuple[PartOutcome, ...]
    machines: tuple[MachineOutcome, ...] = ()

    @property
    def is_measured(self) -> bool:
        """Whether there is a number for any of its parts."""
        return any(part.measurement.value is not None for part in self.parts)


@dataclass(frozen=True)
class ThenAndNow:
    """One published number, `then`, and the same quantity measured by `contender`, `now`; None if it was not measured.

    If two libraries are compared, `contender` names both. `part` is the part of the claim if it has several. `asides`
    are differences from the study: the batch size, or the number of samples.
    """

    workload: str
    library: str
    release: str
    hardware: str
    quantity: str
    unit: str
    then: float
    note: str
    contender: str = ""
    now: Estimate | None = None
    part: str = ""
    asides: tuple[Note, ...] = ()


@dataclass(frozen=True)
class StudySummary:
    """The outcomes of the published study that the suite of a run repeats.

    `lacking` are sentences on what the catalogue lacks of the suite, and on what was left out for want of time.
    """

    name: str
    title: str
    source: str
    note: str
    lacking: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    then_and_now: tuple[ThenAndNow, ...]
