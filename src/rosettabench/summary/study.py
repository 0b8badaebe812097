"""What a run says of a published study: what became of its claims, and its numbers then beside now."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rosettabench.statistics.doubt import Doubt
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.note import Note


class ClaimFinding(StrEnum):
    """What can become of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not enough data"
    UNTESTABLE = "cannot be tested here"


@dataclass(frozen=True)
class Measurement:
    """A measured value with its interval, or the `reasons` why there is none.

    `what` names the arms, `run` and `contests` where the rounds stand, `rounds` is how many, 0 where it is of none;
    `remarks` are what a reader must know of it.
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
    remarks: tuple[Note, ...] = ()
    reasons: tuple[Doubt, ...] = ()
    missing: Note | None = None
    """What the set lacks that the claim speaks of: a part of it can refute the claim, and cannot confirm it."""


@dataclass(frozen=True)
class PartOutcome:
    """What became of one part: the number, where there is one.

    `expected` are the ends of the range that was published, None for an order. `needs` are what it would take to test
    it here. `sight` is how what was measured lies to what is expected, where that does not say it: of an order the
    pairs, of a range by what it was missed.
    """

    name: str
    expected: tuple[float, float] | None
    finding: ClaimFinding
    measurement: Measurement = Measurement()
    needs: tuple[Note, ...] = ()
    sight: Note | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a claim, and of its parts."""

    id: str
    study: str
    says: str
    published: str
    note: str
    finding: ClaimFinding
    parts: tuple[PartOutcome, ...]


@dataclass(frozen=True)
class ThenAndNow:
    """One published number, `then`, and what `contender` measured of the same quantity; None where nobody did.

    Where two libraries are compared, `contender` names both. `part` is that of the claim, where it has several, and
    `asides` are what was otherwise than in the study: the batch, or the number of samples.
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
