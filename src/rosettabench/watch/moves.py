"""Compare how the parameters of contenders move over the same batches: in direction and in length.

From equal weights, a few steps lead all contenders to equal weights, up to round-off. Later their weights differ, but
a step still moves each tensor about as far in all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from statistics import median

import numpy as np
from numpy.typing import NDArray

from rosettabench.watch.agreement import Split, split

AWAY = 0.2
"""From equal weights, two moves may differ by this share of their length, in the median tensor.

Honest contenders differed by at most 0.10, those that left out steps or samples by 0.5 and more
(docs/results/proof-margins.md)."""

FURTHER = 1.35
"""One move may be this many times as long as the other, in the median tensor. Half of the steps give half of the
length, or 0.7 of it if the gradient is pure noise."""

STILL = 0.02
"""A tensor stands still if it moves less than this share of its move in others."""

MATTERS = 1e-3
"""Tensors whose move is shorter than this share of the longest are left out: if a gradient is only round-off, so is the
direction of the move."""

Files = Mapping[str, str]


@dataclass(frozen=True)
class Bounds:
    """How much moves may differ: `away` in distance, `further` in length. A share below `still` is no move."""

    away: float = AWAY
    further: float = FURTHER
    still: float = STILL


TOGETHER = Bounds()
"""All begin with equal weights and must move the same way."""

APART = Bounds(away=inf)
"""All have different weights. An optimiser that divides a gradient by its own size still steps equally far."""

ANYWHERE = Bounds(away=inf, further=inf, still=0.0)
"""All have different weights, and the length of a step of gradient descent depends on the slope there: only a tensor
that does not move at all is odd. With dropout of their own, one of two honest contenders moved 1.5, 5 and 48,000 times
as far as the other in a round of `cifar-vgg` at batch 8 (docs/results/proof-margins.md)."""


@dataclass(frozen=True)
class Move:
    """The parameters of one contender before and after some steps, as .npy files by tensor."""

    before: Files
    after: Files


@dataclass
class Moves:
    """The result of comparing moves: for each pair the median over tensors of the distance and the ratio of lengths."""

    distance: dict[tuple[str, str], float] = field(default_factory=dict)
    ratio: dict[tuple[str, str], float] = field(default_factory=dict)
    least: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Label → (share, tensor) of the tensor that moves least, as a share of its longest move in any contender."""

    @property
    def furthest(self) -> float:
        """The largest distance of a pair."""
        return max(self.distance.values(), default=0.0)

    @property
    def steepest(self) -> float:
        """The largest ratio of lengths of a pair, 1 or more."""
        return max(self.ratio.values(), default=1.0)

    def without(self, labels: Collection[str]) -> Moves:
        """Return what the pairs have in which none of some contenders is."""

        def kept(values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
            """Return the values of those pairs."""
            return {pair: value for pair, value in values.items() if not {*pair} & {*labels}}

        return Moves(kept(self.distance), kept(self.ratio))

    def standing(self, label: str, bounds: Bounds) -> str | None:
        """Return a tensor that stands still in a contender and moves in others; None if all move."""
        share, tensor = self.least.get(label, (1.0, ""))
        return tensor if share == 0 or share < bounds.still else None

    def odd_ones(self, voices: Mapping[str, str], bounds: Bounds = TOGETHER) -> Split:
        """Return the odd contenders: too far away, or with moves of another length; see `split`.

        A contender in which a tensor stands still disagrees with those in which it moves.
        """

        def near(one: str, other: str) -> bool:
            """Return whether two contenders moved alike."""
            pair = (one, other) if (one, other) in self.distance else (other, one)
            alike = self.standing(one, bounds) == self.standing(other, bounds)
            return alike and self.distance[pair] <= bounds.away and self.ratio[pair] <= bounds.further

        return split(voices, near)


def compare_moves(moves: Mapping[str, Move], trained: Iterable[str]) -> Moves:
    """Compare the moves of contenders in the `trained` tensors; only one tensor is in memory at a time."""
    lengths: dict[str, dict[str, float]] = {}
    distances: dict[str, dict[tuple[str, str], float]] = {}
    for tensor in trained:
        moved = {label: moved_by(move, tensor) for label, move in moves.items()}
        lengths[tensor] = {label: float(np.linalg.norm(one)) for label, one in moved.items()}
        distances[tensor] = {
            (one, other): float(np.linalg.norm(moved[one] - moved[other])) for one, other in combinations(moved, 2)
        }
    return summed_up(lengths, distances)


def moved_tensors(exact: Move, tensors: Iterable[str]) -> list[str]:
    """Return the tensors that the float64 reference moves.

    The others have no gradient by mathematics, such as a bias in front of a batch normalisation. In float32 it is
    round-off, of which Adam makes full steps.
    """
    return [tensor for tensor in tensors if moved_by(exact, tensor).any()]


def moved_by(move: Move, tensor: str) -> NDArray[np.float64]:
    """Return how a tensor moved, as a vector in float64."""
    before, after = (np.load(files[tensor], mmap_mode="r", allow_pickle=False) for files in (move.before, move.after))
    way: NDArray[np.float64] = np.subtract(after, before, dtype=np.float64).ravel()
    return way


def summed_up(
    lengths: Mapping[str, Mapping[str, float]], distances: Mapping[str, Mapping[tuple[str, str], float]]
) -> Moves:
    """Summarise lengths and distances by the median over the tensors that matter."""
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
    """Return the longer length over the shorter; infinite if only one is 0, 1 if both are."""
    longer, shorter = max(one, other), min(one, other)
    return 1.0 if longer == 0 else float("inf") if shorter == 0 else longer / shorter
