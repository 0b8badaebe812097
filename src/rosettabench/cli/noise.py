"""How noisy this machine is right now: the same work over and over, and how differently long it takes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.forecast import MOST_ROUNDS, rounds_until

BLOCK_S = 0.1
"""Seconds of one block, about: like a short turn in a contest."""

BLOCKS = 30
TRIALS = 5
"""Blocks from whose fastest the work of a block is measured out."""

SIZE = 2**16
"""float32 elements of the vector that the work is done on: it fits a second-level cache.

The work is tanh, on one processor. A product of matrices on all of them would say more of the waiting of one NumPy's
threads for each other than of the machine: with others at work, its times were seen to vary fiftyfold.
"""


@dataclass(frozen=True)
class Noise:
    """What was seen: the seconds that each block of the same work took, and what the system says of that time.

    `stolen` is the share of the processors' time that a hypervisor gave to others, None where the system does not
    tell; `load` is the mean number of processes that wanted to run during the last minute, None likewise.
    """

    seconds: tuple[float, ...]
    stolen: float | None
    load: float | None

    @property
    def median(self) -> float:
        """Seconds of the middle block."""
        return median(self.seconds)

    @property
    def spread(self) -> tuple[float, float]:
        """The 5th and the 95th percentile of the blocks, as ratios to their median."""
        cuts = quantiles(self.seconds, n=20, method="inclusive")
        return cuts[0] / self.median, cuts[-1] / self.median

    def rounds(self, precision: float) -> int:
        """Return about how many rounds a ratio of two equals needs until its 95% interval is ± `precision` (relative).

        Neighbouring blocks are taken as a round of two contenders that are the same, and these rounds as what all
        others will be like. MOST_ROUNDS where it is more.
        """
        ratios = [first / second for first, second in zip(self.seconds[::2], self.seconds[1::2], strict=False)]
        if len(ratios) < FEWEST_ROUNDS:
            raise ValueError(f"{len(ratios)} rounds say nothing about noise; {FEWEST_ROUNDS} would")
        return rounds_until(lambda interval: interval.precision <= precision, ratios) or MOST_ROUNDS


def measure_noise(blocks: int = BLOCKS) -> Noise:
    """Time `blocks` blocks of fixed work; takes `blocks` × BLOCK_S seconds and a little to warm up."""
    vector = np.linspace(-1, 1, SIZE, dtype=np.float32)
    repeats, before = calibrate_passes(vector), processor_times()
    seconds = tuple(block(vector, repeats) for _ in range(blocks))
    after = processor_times()
    return Noise(seconds, stolen_share(before, after), os.getloadavg()[0] if hasattr(os, "getloadavg") else None)


def block(vector: NDArray[np.float32], repeats: int) -> float:
    """Return the seconds of `repeats` passes over the vector."""
    result = np.empty_like(vector)
    start = perf_counter()
    for _ in range(repeats):
        np.tanh(vector, out=result)
    return perf_counter() - start


def calibrate_passes(vector: NDArray[np.float32]) -> int:
    """Return how many passes fill a block; what is tried for it warms up caches and clock rate."""
    repeats = 1
    while block(vector, repeats) < BLOCK_S / 10:
        repeats *= 2
    fastest = min(block(vector, repeats) for _ in range(TRIALS))
    return max(1, round(repeats * BLOCK_S / fastest))


def processor_times() -> list[int] | None:
    """Return the counters of all processors together, from /proc/stat (proc(5)); None on other systems."""
    try:
        return [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except OSError:
        return None


def stolen_share(before: list[int] | None, after: list[int] | None) -> float | None:
    """Return the share of ``steal``, the eighth counter, in the time between two readings."""
    if before is None or after is None or sum(after) == sum(before):
        return None
    return (after[7] - before[7]) / (sum(after) - sum(before))
