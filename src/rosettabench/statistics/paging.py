"""Whether processes of a contender differ because some get the memory of each step from the system anew.

A C library returns freed memory to the system if it lies at the end of the heap or was mapped by itself. What is
returned comes back page by page, filled with zeros, and each page is a minor fault. How much a step returns differs
from process to process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from statistics import mean, median

from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.rounds import Processes, Rounds, by_process, possible

PAGE_S = 1.1e-6
"""Seconds that a page costs, as measured in docs/results/processes.md."""

KEEP = "MALLOC_MMAP_MAX_=0 MALLOC_TOP_PAD_=67108864 MALLOC_TRIM_THRESHOLD_=1099511627776"
"""Variables by which glibc keeps freed memory: the heap of a thread is not returned, the end of the first heap only
beyond a terabyte (mallopt(3)), and no piece is mapped by itself but one of more than 64 MiB that a thread requests."""

Pages = Mapping[int, float]
"""Process → minor faults of a step, of one contender."""


@dataclass(frozen=True)
class Paging(Doubt):
    """In `some` of its `processes`, a contender got `pages` pages a step anew, and took `times` as long as else."""

    contender: str
    some: int
    processes: int
    pages: float
    times: float

    @property
    def sentence(self) -> str:
        """The difference in words."""
        took = f"{self.contender} took {self.times:.2f}× as long in {self.some} of its {self.processes} processes"
        why = f"they returned memory to the system, and got {self.pages:,.0f} pages of it anew in each step"
        return f"{took}: {why}. With {KEEP} glibc keeps it."


def find_paging(
    contenders: Mapping[str, Rounds], processes: Processes, pages: Mapping[str, Pages], margin: float
) -> list[Paging]:
    """Return the contenders of which some processes page, and take longer than the rest by more than `margin`.

    The times of a process are relative to those of the other contenders at that time, so that a machine whose speed
    wanders does not count. A contender that left before has no time in some process, and is no measure.
    """
    levels = {label: process_levels(rounds, processes) for label, rounds in contenders.items()}
    found = []
    for label, own in levels.items():
        others = [one for name, one in levels.items() if name != label and own.keys() <= one.keys()]
        relative = {number: level - mean(one[number] for one in others) for number, level in own.items() if others}
        least = {number: margin * exp(level) / PAGE_S for number, level in own.items()}
        one = compare_processes(label, relative or own, pages.get(label, {}), least)
        if one is not None and one.times > 1 + margin:
            found.append(one)
    return found


def compare_processes(
    label: str, levels: Mapping[int, float], pages: Pages, least: Mapping[int, float]
) -> Paging | None:
    """Return how processes that page differ from the rest; None if none pages, or all do.

    A process pages if it gets at least `least` pages more than the process with the fewest: what costs the margin.
    """
    known = {number: pages[number] for number in levels if number in pages}
    fewest = min(known.values(), default=0.0)
    some = [number for number, count in known.items() if count >= fewest + least[number]]
    rest = [number for number in known if number not in some]
    if not some or not rest:
        return None
    times = exp(median(levels[number] for number in some) - median(levels[number] for number in rest))
    return Paging(label, len(some), len(known), median(known[number] for number in some), times)


def process_levels(rounds: Rounds, processes: Processes) -> dict[int, float]:
    """Return {process: the mean logarithm of a contender's seconds per step}."""
    return {
        number: mean(map(log, times))
        for number, found in by_process(rounds, processes).items()
        if (times := [seconds for seconds in found.values() if possible(seconds)])
    }
