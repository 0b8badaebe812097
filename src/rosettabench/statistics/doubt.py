"""Reasons why an interval is not to be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.statistics.interval import Interval


class Doubt:
    """A reason why an interval is not to be trusted, or why there is none. Rooms above have kinds of their own."""


@dataclass(frozen=True)
class SuspectRounds(Doubt):
    """The rounds of a contender were odd, or, where it is None, of all: beside the verdicts stands in which way."""

    contender: str | None


@dataclass(frozen=True)
class Contradiction(Doubt):
    """The rounds of a pair contradict each other: no single ratio fits all of them."""


@dataclass(frozen=True)
class MeansDisagree(Doubt):
    """The whole contest says otherwise than its usual rounds: the `mean` of a pair is far from their `interval`."""

    faster: str
    slower: str
    interval: Interval
    mean: Interval


@dataclass(frozen=True)
class TooFewRounds(Doubt):
    """There is no interval: of so many rounds, None where nobody counted."""

    rounds: int | None = None
