"""How the parameters of contenders move: over the same batches, everybody's must go the same way, and as far.

From the same weights, a few steps lead everybody to the same place, but for round-off. Later on contenders are at
different places, and what they still share is how far a step carries each tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from statistics import median

import numpy as np
from numpy.typing import NDArray

from rosettabench.watch.agreement import Split, split

AWAY = 0.2
"""From the same weights, two moves may differ by this share of their length, in the middle tensor.

Honest contenders were apart by at most 0.10, whoever leaves steps or samples out by 0.5 and more
(docs/results/proof-margins.md)."""

FURTHER = 1.35
"""One move may be this many times as long as the other, in the middle tensor. Half of the steps are half of the way, or
0.7 of it where the gradient is nothing but noise."""

STILL = 0.02
"""A tensor stands still that moves less than this share of what it moves in others."""

MATTERS = 1e-3
"""Tensors whose move is less than this share of the longest one are left out: what has no gradient but round-off goes
wherever that leads."""

Files = Mapping[str, str]


@dataclass(frozen=True)
class Bounds:
    """What moves may differ by: `away` in distance, `further` in length; `still` is the share that counts as none."""

    away: float = AWAY
    further: float = FURTHER
    still: float = STILL


TOGETHER = Bounds()
"""Everybody begins at the same place, and goes the same way."""

APART = Bounds(away=inf)
"""Everybody is at another place. An optimiser that divides a gradient by its own size still steps as far."""

ANYWHERE = Bounds(away=inf, further=inf, still=0.0)
"""Everybody is at another place, and gradient descent steps as far as the slope there is: only a tensor that does not
move at all is odd. Of two honest contenders that drew their own dropout, one went 1.5, 5 and 48,000 times as far as the
other in a round of `cifar-vgg` at batch 8 (docs/results/proof-margins.md)."""


@dataclass(frozen=True)
class Move:
    """The parameters of one contender before and after some steps, as .npy files by tensor."""

    before: Files
    after: Files


@dataclass
class Moves:
    """What a comparison of moves found: for each pair the middle tensor's distance and ratio of lengths."""

    distance: dict[tuple[str, str], float] = field(default_factory=dict)
    ratio: dict[tuple[str, str], float] = field(default_factory=dict)
    least: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Label to the tensor that moves least in it, after the share of what it moves in others."""

    @property
    def furthest(self) -> float:
        """The largest distance of two."""
        return max(self.distance.values(), default=0.0)

    @property
    def steepest(self) -> float:
        """The largest ratio of two lengths, 1 or more."""
        return max(self.ratio.values(), default=1.0)

    def standing(self, label: str, bounds: Bounds) -> str | None:
        """Return a tensor that stands still in one and moves in others; None where all move."""
        share, tensor = self.least.get(label, (1.0, ""))
        return tensor if share == 0 or share < bounds.still else None

    def odd_ones(self, voices: Mapping[str, str], bounds: Bounds = TOGETHER) -> Split:
        """Return who is odd: further away than allowed, or faster or slower; see `split`.

        Whoever has a tensor that stands still agrees with nobody in whom it moves.
        """

        def near(one: str, other: str) -> bool:
            """Whether two have moved alike."""
            pair = (one, other) if (one, other) in self.distance else (other, one)
            alike = self.standing(one, bounds) == self.standing(other, bounds)
            return alike and self.distance[pair] <= bounds.away and self.ratio[pair] <= bounds.further

        return split(voices, near)


def compare_moves(moves: Mapping[str, Move], trained: Iterable[str]) -> Moves:
    """Compare the moves of contenders, of the tensors that are `trained`; one tensor is in memory at a time."""
    lengths: dict[str, dict[str, float]] = {}
    distances: dict[str, dict[tuple[str, str], float]] = {}
    for tensor in trained:
        moved = {label: moved_by(move, tensor) for label, move in moves.items()}
        lengths[tensor] = {label: float(np.linalg.norm(one)) for label, one in moved.items()}
        distances[tensor] = {
            (one, other): float(np.linalg.norm(moved[one] - moved[other])) for one, other in combinations(moved, 2)
        }
    return summed_up(lengths, distances)


def moved_by(move: Move, tensor: str) -> NDArray[np.float64]:
    """Return how a tensor has moved, as one row of numbers in float64."""
    before, after = (np.load(files[tensor], mmap_mode="r", allow_pickle=False) for files in (move.before, move.after))
    way: NDArray[np.float64] = np.subtract(after, before, dtype=np.float64).ravel()
    return way


def summed_up(
    lengths: Mapping[str, Mapping[str, float]], distances: Mapping[str, Mapping[tuple[str, str], float]]
) -> Moves:
    """Return what the lengths and distances of all tensors say together: the middle one of those that matter."""
    typical = {tensor: median(of.values()) for tensor, of in lengths.items() if of}
    longest = max(typical.values(), default=0.0)
    matter = [tensor for tensor, length in typical.items() if length > MATTERS * longest]
    found = Moves()
    for pair in next(iter(distances.values()), {}):
        one, other = pair
        sizes = {tensor: (lengths[tensor][one], lengths[tensor][other]) for tensor in matter}
        found.distance[pair] = median(
            [distances[tensor][pair] / max(*both) for tensor, both in sizes.items() if max(both)] or [0.0]
        )
        found.ratio[pair] = median([ratio_of(*both) for both in sizes.values()] or [1.0])
    for tensor in matter:
        longest = max(lengths[tensor].values())
        for label, length in lengths[tensor].items():
            found.least[label] = min(found.least.get(label, (1.0, "")), (length / longest, tensor))
    return found


def ratio_of(one: float, other: float) -> float:
    """Return how many times the longer of two is as long as the shorter; endless where one is nothing."""
    longer, shorter = max(one, other), min(one, other)
    return 1.0 if longer == 0 else float("inf") if shorter == 0 else longer / shorter
