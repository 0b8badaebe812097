"""Why a part of a claim comes to no number, or to one without an interval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from rosettabench.statistics.doubt import Doubt
from rosettabench.summary.records import EntrySummary


@dataclass(frozen=True)
class Unmeasured(Doubt):
    """No run has measured these arms; `sets` are the sets of series that it would take, "" for one setting."""

    arms: tuple[str, ...]
    sets: str = ""


@dataclass(frozen=True)
class Untrained(Unmeasured):
    """No run has trained with these libraries as they are shipped."""


@dataclass(frozen=True)
class Unjudged(Doubt):
    """Contenders that cannot be judged: they are not ranked."""

    entries: tuple[EntrySummary, ...]


@dataclass(frozen=True)
class TooFewTrained(Doubt):
    """Only so many seeds were trained to the end."""

    seeds: int


@dataclass(frozen=True)
class Several(Doubt):
    """The reasons of several measurements."""

    reasons: tuple[tuple[Doubt, ...], ...]


class Lack(Doubt, Enum):
    """What there is too little of."""

    COMMON_ROUNDS = auto()
    ROUNDS_ON_A_SET = auto()
    AGREEMENT = auto()
    PAIRING = auto()
    LIBRARIES = auto()
    PROCESSES = auto()
    SEEDS = auto()
    VALUES = auto()
