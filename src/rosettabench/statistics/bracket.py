"""Search for the ends of an interval: where the evidence against a ratio reaches its limit (evidence.py).

Each look costs a pass over all rounds, so the search looks where a straight line through the evidence would cross the
limit, a little before and a little behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rosettabench.statistics.evidence import Logs

EXACT = 1e-6
"""The search for an end stops when this share of its distance from the estimate is left."""

MOST_STEPS = 40
"""The search ends after so many steps at the latest: six are usual."""

WIDE = 0.4
"""A bracket that is wider than this share of its outer end is wide: the evidence is not nearly straight across it."""

BOW = 6.0
"""The evidence grows about as the square of the distance. So a straight line between the ends of a bracket of the width
w misses it by w² / 8 at most; the search looks w² / BOW before and behind the crossing of that line."""


@dataclass(frozen=True)
class Bracket:
    """Two candidates on one side of an estimate, by their distances from it: an accepted one, and a refuted one behind.

    `below` and `above` are the evidence at both, less its limit: below 0, and not below 0.
    """

    inner: float
    outer: float
    below: float
    above: float

    @classmethod
    def last(cls, distances: Sequence[float], found: Sequence[float]) -> Bracket:
        """Return the bracket around the last crossing of the limit, from the evidence `found` at `distances`."""
        last = max(place for place, one in enumerate(found[:-1]) if one < 0)
        return cls(*distances[last : last + 2], *found[last : last + 2])

    @property
    def width(self) -> float:
        """The distance between the two, as a share of that from the estimate."""
        return 1 - self.inner / self.outer

    @property
    def looks(self) -> tuple[float, float]:
        """The distances at which to look next: a little before and a little behind where a line crosses the limit."""
        crossing, reach, whole = self.below / (self.below - self.above), self.width / BOW, self.outer - self.inner
        if self.width > WIDE:
            return self.inner + whole / 3, self.outer - whole / 3
        before, behind = max(crossing - reach, crossing / 2), min(crossing + reach, (1 + crossing) / 2)
        return self.inner + before * whole, self.inner + behind * whole

    def closed(self, looks: Sequence[float], seen: Sequence[float]) -> Bracket:
        """Return the bracket within this one, from the evidence `seen` at its `looks`."""
        return Bracket.last([self.inner, *looks, self.outer], [self.below, *seen, self.above])


def close_in(excess: Callable[[Logs], Logs], brackets: Sequence[Bracket], exact: float) -> list[float]:
    """Return the outer ends of the brackets below and above the estimate, closed in until their width is `exact`."""
    for _ in range(MOST_STEPS):
        if all(one.width <= exact for one in brackets):
            break
        looks = [one.looks for one in brackets]
        seen = excess(np.array(looks)).tolist()
        brackets = [one.closed(places, found) for one, places, found in zip(brackets, looks, seen, strict=True)]
    return [one.outer for one in brackets]
