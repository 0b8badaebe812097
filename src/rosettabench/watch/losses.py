"""Compare the losses of timed blocks: all contenders train the same batches from the same weights.

At first the losses agree to round-off. Training amplifies it block by block, until two honest frameworks differ as much
as two seeds: by some percent in a block, but not on average. So there is one rule for each phase. The current noise is
measured on the contenders: their largest difference in earlier blocks.

Where training is unstable, two honest contenders differ on average, too: one jumps, the other does not, and round-off
decided which. How far apart equals can be is measured on the second copy of the control, which begins with weights that
are moved by one unit in the last place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import inf, isfinite, sqrt
from statistics import fmean, stdev

from rosettabench.watch.agreement import Split, split

FLOOR = 1e-3
"""Relative difference that is always allowed: a unit that turns causes about 1e-4."""

SAFETY = 10.0
"""A mean loss may be off by this many times its noise: a single number, in which round-off may cancel by chance."""

GROWTH = 1000
"""A block may differ by this times the noise. Between two blocks, honest noise grew up to 400-fold (from 1e-6 to 4e-4,
when a unit turned). Skipping every second step of a block causes about 1e-1 at once, that is 100,000-fold."""

LOUD = 0.1
"""Noise above which single blocks are not compared."""

FEWEST = 8
"""Fewest blocks in an average."""

APART = 0.05
"""Relative difference of two averages that is always allowed."""

ERRORS = 6.0
"""Standard errors by which two averages may differ: many, because successive blocks are not independent."""

SWINGS = 20.0
"""Two averages may differ by this many times the largest difference that equals had in a block: of 15 pairs of equals,
one differed by 17 times as much as another, and two libraries by 14 times as much as two copies
(docs/results/proof-margins.md)."""


@dataclass(frozen=True)
class OffReference:
    """A warm-up block, by its number, whose mean loss is not the reference's."""

    block: int
    loss: float
    exact: float

    @property
    def words(self) -> str:
        """What differs, in words."""
        return f"in warm-up block {self.block} its mean loss is {self.loss:.6g}, that of the reference {self.exact:.6g}"


class Losses:
    """The mean losses of the blocks of one process of each contender, in their order."""

    def __init__(self, voices: Mapping[str, str], loud: bool, copies: Mapping[str, str] | None = None) -> None:
        """`voices` as in `split`. `loud`: training draws random numbers, or its products are rounded.

        `copies` are {second copy of a control: its first}.
        """
        self._voices = voices
        self._copies = copies or {}
        self._swing = 0.0
        self._measured = bool(self._copies)
        self._noise = inf if loud else 0.0
        self._scale = 0.0
        self._blocks: list[dict[str, float]] = []

    def note(self, losses: Mapping[str, float], floor: float = FLOOR) -> Split:
        """Take in the losses of a block, copies included; return the odd contenders in it.

        They may differ by `floor` in any case.
        """
        known = {label: loss for label, loss in losses.items() if label in self._voices}
        self._scale = self._scale or max((abs(loss) for loss in known.values() if isfinite(loss)), default=0.0)
        self._blocks.append(known)
        allowed = max(floor, GROWTH * self._noise)
        quiet = self._noise <= LOUD
        apart = {pair: self._apart(known[pair[0]], known[pair[1]]) for pair in combinations(known, 2)}
        equals = self._apart_copies(losses)
        self._swing = max([self._swing, *equals])
        self._measured = self._measured and bool(equals)
        honest = [value for value in apart.values() if value <= allowed]
        self._noise = max([self._noise, *honest])
        if not quiet:
            return Split()
        voices = {label: self._voices[label] for label in known}
        return split(voices, lambda one, other: entry_of_pair(apart, one, other) <= allowed)

    def off_reference(self, means: Sequence[float], noise: Sequence[float]) -> dict[str, OffReference]:
        """Return each contender with a block whose mean loss is not the reference's, and the first such block.

        `means` has the reference's mean losses of the blocks so far, `noise` how far float32 moves them.
        """
        found: dict[str, OffReference] = {}
        for number, (block, mean, off) in enumerate(zip(self._blocks, means, noise, strict=True), start=1):
            for label, loss in block.items():
                if self._apart(loss, mean) > floor_of(off):
                    found.setdefault(label, OffReference(number, loss, mean))
        return found

    @property
    def unknown(self) -> bool:
        """Whether the averages cannot be compared.

        Training amplified round-off, and without a control in every block nobody knows how far apart equals are.
        """
        return LOUD < self._noise < inf and not self._measured

    def on_average(self) -> Split:
        """Return the odd contenders on average over all blocks so far, or over the later half."""
        if self.unknown:
            return Split()
        for blocks in (self._blocks, self._blocks[len(self._blocks) // 2 :]):
            there = [label for label in self._voices if blocks and all(label in block for block in blocks)]
            found = split({label: self._voices[label] for label in there}, partial(self._alike, blocks))
            if not found.agree:
                return found
        return Split()

    def means(self) -> dict[str, float]:
        """Return the mean loss over the later half of the blocks, for each contender that did them all."""
        half = self._blocks[len(self._blocks) // 2 :]
        there = [label for label in self._voices if half and all(label in block for block in half)]
        return {label: fmean(block[label] for block in half) for label in there}

    def _alike(self, blocks: Sequence[Mapping[str, float]], one: str, other: str) -> bool:
        """Return whether the mean difference of two is small, as that of random differences is."""
        if len(blocks) < FEWEST:
            return True
        signed = [(block[one] - block[other]) / self._size(block[one], block[other]) for block in blocks]
        if not all(map(isfinite, signed)):
            return False
        return abs(fmean(signed)) <= max(APART, ERRORS * stdev(signed) / sqrt(len(signed)), SWINGS * self._swing)

    def _apart_copies(self, losses: Mapping[str, float]) -> list[float]:
        """Return how far the copies of controls are from their firsts, as far as both have a finite loss."""
        pairs = [
            (losses[copy], losses[first]) for copy, first in self._copies.items() if {copy, first} <= losses.keys()
        ]
        return [self._apart(one, other) for one, other in pairs if isfinite(one) and isfinite(other)]

    def _apart(self, one: float, other: float) -> float:
        """Return the relative difference of two losses; infinite if only one is finite."""
        if not (isfinite(one) and isfinite(other)):
            return 0.0 if isfinite(one) == isfinite(other) else inf
        return abs(one - other) / self._size(one, other)

    def _size(self, one: float, other: float) -> float:
        """Return what differences are relative to: at least 1% of the first loss, since a likelihood may reach 0."""
        return max(abs(one), abs(other), self._scale / 100) or 1.0


def floor_of(noise: float) -> float:
    """Return the relative difference that a mean loss may have, given its noise."""
    return max(FLOOR, SAFETY * noise)


def entry_of_pair(apart: Mapping[tuple[str, str], float], one: str, other: str) -> float:
    """Return the entry of a pair, whose order in `apart` may be either."""
    return apart[one, other] if (one, other) in apart else apart[other, one]
