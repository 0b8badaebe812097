"""The first steps of a contest as the reference takes them, in float64 and in float32."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean

from rosettabench.watch.moves import AWAY, TOGETHER, Bounds, Move, compare_moves, moved_tensors

TWICE = 2.0
"""A move may be off by this many times the noise. The median over many tensors varies little: after six steps of
`cifar-resnet56` PyTorch was 0.17 away from float64, and the reference in float32 0.20."""


@dataclass(frozen=True)
class TakenSteps:
    """How some steps move the parameters, and the loss of each step."""

    move: Move
    losses: tuple[float, ...]

    def means(self, blocks: Sequence[int]) -> list[float]:
        """Return the mean loss of each block; `blocks` has their numbers of steps."""
        ends = [sum(blocks[: number + 1]) for number in range(len(blocks))]
        return [fmean(self.losses[end - count : end]) for end, count in zip(ends, blocks, strict=True)]


@dataclass(frozen=True)
class ExactSteps:
    """The first steps in float64, and `rounded` to float32: what is between them is honest noise."""

    exact: TakenSteps
    rounded: TakenSteps

    def noise(self, blocks: Sequence[int]) -> list[float]:
        """Return the noise of each block's mean loss, relative to the loss."""
        pairs = zip(self.exact.means(blocks), self.rounded.means(blocks), strict=True)
        return [abs(one - other) / max(abs(one), abs(other), 1e-30) for one, other in pairs]

    def bounds(self, trained: Iterable[str]) -> Bounds:
        """Return how far from the reference a contender may move, given the noise."""
        moves = {"exact": self.exact.move, "rounded": self.rounded.move}
        noise = compare_moves(moves, moved_tensors(self.exact.move, trained)).furthest
        return Bounds(away=max(AWAY, TWICE * noise)) if isfinite(noise) else TOGETHER
