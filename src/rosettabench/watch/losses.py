"""Losses of the timed blocks: everybody trains the same batches from the same weights, so they must agree.

At first they agree to round-off. Training amplifies that, block by block, until two honest frameworks are as far apart
as two seeds: some percent from block to block, and nothing on average. So there are two rules, one for each regime, and
what the noise is at the moment is measured on the contenders themselves: how far apart they were in earlier blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from math import inf, isfinite, sqrt
from statistics import fmean, stdev

from rosettabench.watch.agreement import Split, split

FLOOR = 1e-3
"""Relative difference that is never held against anybody: a unit that turns shows as some 1e-4."""

GROWTH = 1000
"""Between two blocks, honest noise grew up to 400-fold (from 1e-6 to 4e-4, where a unit turned); whoever skips every
second step of a block is apart at once by some 1e-1, that is 100,000-fold."""

LOUD = 0.1
"""From this noise on, single blocks say nothing."""

FEWEST = 8
"""Blocks of which an average is taken at least."""

APART = 0.05
"""Relative difference of two averages that is never held against anybody."""

ERRORS = 6.0
"""Standard errors that two averages may be apart: blocks that follow each other are not independent."""


class Losses:
    """The mean losses of the blocks of one process of each contender, in their order."""

    def __init__(self, voices: Mapping[str, str], loud: bool) -> None:
        """Begin; `voices` as in `split`. `loud`: training draws random numbers, or its products are rounded."""
        self._voices = voices
        self._noise = inf if loud else 0.0
        self._scale = 0.0
        self._blocks: list[dict[str, float]] = []

    def note(self, losses: Mapping[str, float]) -> Split:
        """Take in a block; return who is odd in it."""
        known = {label: loss for label, loss in losses.items() if label in self._voices}
        self._scale = self._scale or max((abs(loss) for loss in known.values() if isfinite(loss)), default=0.0)
        self._blocks.append(known)
        allowed = max(FLOOR, GROWTH * self._noise)
        quiet = self._noise <= LOUD
        apart = {pair: self._apart(known[pair[0]], known[pair[1]]) for pair in combinations(known, 2)}
        honest = [value for value in apart.values() if value <= allowed]
        self._noise = max([self._noise, *honest])
        if not quiet:
            return Split()
        voices = {label: self._voices[label] for label in known}
        return split(voices, lambda one, other: entry_of_pair(apart, one, other) <= allowed)

    def on_average(self) -> Split:
        """Return who is odd on average over all blocks so far, or over the later half of them."""
        for blocks in (self._blocks, self._blocks[len(self._blocks) // 2 :]):
            there = [label for label in self._voices if blocks and all(label in block for block in blocks)]
            found = split({label: self._voices[label] for label in there}, partial(self._alike, blocks))
            if not found.whole:
                return found
        return Split()

    def means(self) -> dict[str, float]:
        """Return the mean loss over the later half of the blocks, of everybody who has done them all."""
        half = self._blocks[len(self._blocks) // 2 :]
        there = [label for label in self._voices if half and all(label in block for block in half)]
        return {label: fmean(block[label] for block in half) for label in there}

    def _alike(self, blocks: Sequence[Mapping[str, float]], one: str, other: str) -> bool:
        """Whether the differences between two have both signs, as those of chance do."""
        if len(blocks) < FEWEST:
            return True
        signed = [(block[one] - block[other]) / self._size(block[one], block[other]) for block in blocks]
        if not all(map(isfinite, signed)):
            return False
        return abs(fmean(signed)) <= max(APART, ERRORS * stdev(signed) / sqrt(len(signed)))

    def _apart(self, one: float, other: float) -> float:
        """Return how far two losses are apart, in units of their noise."""
        if not (isfinite(one) and isfinite(other)):
            return 0.0 if isfinite(one) == isfinite(other) else inf
        return abs(one - other) / self._size(one, other)

    def _size(self, one: float, other: float) -> float:
        """What differences are relative to; a hundredth of the first loss at least, as a likelihood may come to 0."""
        return max(abs(one), abs(other), self._scale / 100) or 1.0


def entry_of_pair(apart: Mapping[tuple[str, str], float], one: str, other: str) -> float:
    """Return the entry of a pair, in whichever order it is kept."""
    return apart[one, other] if (one, other) in apart else apart[other, one]
