"""The present noise of this machine: the same work is timed again and again."""

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
"""Seconds of one block, approximately: like a short block of a contest."""

BLOCKS = 30
TRIALS = 5
"""Blocks for calibration: the fastest determines the work of a block."""

SIZE = 2**16
"""float32 elements of the vector on which the work is done: it fits into a second-level cache.

The work is tanh on one processor. A matrix product on all processors would measure how threads wait for each other
rather than the machine: on a busy machine, its times were seen to vary fiftyfold.
"""


@dataclass(frozen=True)
class Noise:
    """A measurement of noise: the seconds of each block of the same work, and the system's counters for that time.

    `stolen` is the share of the processors' time that a hypervisor gave to others; `load` is the mean number of
    runnable processes during the last minute. Either is None if the system does not report it.
    """

    seconds: tuple[float, ...]
    stolen: float | None
    load: float | None

    @property
    def median(self) -> float:
        """The median seconds of the blocks."""
        return median(self.seconds)

    @property
    def spread(self) -> tuple[float, float]:
        """The 5th and the 95th percentile of the blocks, as ratios to their median."""
        cuts = quantiles(self.seconds, n=20, method="inclusive")
        return cuts[0] / self.median, cuts[-1] / self.median

    def rounds(self, precision: float) -> int:
        """Return about how many rounds a ratio of two equal contenders needs for a 95% interval of ± `precision`.

        `precision` is relative. Two neighbouring blocks are taken as a round of two equal contenders, and further
        rounds are assumed to be like these. The result is at most MOST_ROUNDS.
        """
        ratios = [first / second for first, second in zip(self.seconds[::2], self.seconds[1::2], strict=False)]
        if len(ratios) < FEWEST_ROUNDS:
            raise ValueError(f"{len(ratios)} rounds say nothing about noise; {FEWEST_ROUNDS} would")
        return rounds_until(lambda interval: interval.precision <= precision, ratios) or MOST_ROUNDS


def measure_noise(blocks: int = BLOCKS) -> Noise:
    """Time `blocks` blocks of fixed work. It takes `blocks` × BLOCK_S seconds, and a little for the warm-up."""
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
    """Return the number of passes that fill a block. The trials also warm up caches and clock rate."""
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
    """Return the share of ``steal``, the eighth counter, between two readings; None if unknown."""
    if before is None or after is None or sum(after) == sum(before):
        return None
    return (after[7] - before[7]) / (sum(after) - sum(before))
