"""What a run says of a published study: what became of its claims, and its numbers then beside now."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rosettabench.summary.estimate import Estimate


class ClaimFinding(StrEnum):
    """What can become of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not enough data"
    UNTESTABLE = "cannot be tested here"


@dataclass(frozen=True)
class Measurement:
    """A measured value with its interval, or the `reason` why there is none.

    `what` names the arms, `run` and `contests` where the rounds stand, `rounds` is how many, 0 where it is of none;
    `remarks` say what a reader must know of it.
    Accuracy differences are fractions of 1; everything else is a ratio.
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
    remarks: tuple[str, ...] = ()
    reason: str = ""
    missing: str = ""
    """What the set lacks that the claim speaks of: a part of it can refute the claim, and cannot confirm it."""


@dataclass(frozen=True)
class PartOutcome:
    """What became of one part: the number, where there is one, and a sentence why."""

    name: str
    expected: str
    finding: ClaimFinding
    measurement: Measurement
    sentence: str


@dataclass(frozen=True)
class Outcome:
    """What became of a claim. `sentence` says in how many parts it was tested, and what the others would take."""

    id: str
    study: str
    says: str
    published: str
    note: str
    finding: ClaimFinding
    sentence: str
    parts: tuple[PartOutcome, ...]


@dataclass(frozen=True)
class ThenAndNow:
    """One published number, `then`, and what `contender` measured of the same quantity; None where nobody did.

    Where two libraries are compared, `contender` names both. `aside` says what was otherwise than in the study: the
    batch, or the number of samples.
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
    aside: str = ""


@dataclass(frozen=True)
class StudySummary:
    """What a run says of the published study that its suite runs again.

    `lacking` are sentences: what of the suite the catalogue does not have, and what was left out for want of time.
    """

    name: str
    title: str
    source: str
    note: str
    lacking: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    then_and_now: tuple[ThenAndNow, ...]
