"""Read energy counters, and measure the idle power of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Protocol

from rosettabench.resources.resource import Resource

POWERCAP = Path("/sys/class/powercap")
"""Where Linux has RAPL's counters (Documentation/power/powercap/powercap.rst)."""

IDLE_S = 1.0
"""Seconds of measuring the idle power, before the first turn, while every worker waits."""

POLL_S = 0.005
"""Seconds between two readings meanwhile, to see how often the counter changes: the finest resolution that is seen."""


class EnergyCounter(Protocol):
    """A counter of the energy of a whole device. `name` is that of its figure."""

    name: Resource

    def read(self) -> Sequence[int]:
        """Return the current values of the counter's parts; raise OSError if it can no longer be read."""

    def joules(self, before: Sequence[int], after: Sequence[int]) -> float:
        """Return the energy between two readings."""


@dataclass(frozen=True)
class Idle:
    """The idle power, and the seconds between two changes of the counter; None if it did not change."""

    watts: float
    resolution_s: float | None


@dataclass(frozen=True)
class Package:
    """One processor package: the file of its counter, in microjoules, and the value after which it wraps to 0."""

    file: Path
    most: int


class Rapl:
    """The energy of all processor packages without memory, as RAPL counts it.

    It belongs to the whole machine: a contender's share is the energy above idle while it alone computes.
    """

    name = Resource.CPU_ENERGY

    def __init__(self, packages: Sequence[Package]) -> None:
        """Read no counter yet. `find_rapl` finds the `packages` and checks that they can be read."""
        self._packages = tuple(packages)

    def read(self) -> Sequence[int]:
        """Return each package's microjoules."""
        return [int(package.file.read_text()) for package in self._packages]

    def joules(self, before: Sequence[int], after: Sequence[int]) -> float:
        """Return the energy between two readings, between which the counter wraps at most once (minutes)."""
        parts = zip(self._packages, before, after, strict=True)
        return sum((end - start) % (package.most + 1) for package, start, end in parts) / 1e6


def find_rapl(root: Path = POWERCAP) -> Rapl | str:
    """Return this machine's processor counter, or the reason why it cannot be read."""
    zones = [zone for zone in sorted(root.glob("*-rapl:*")) if is_package(zone)]
    if not zones:
        return f"this machine shows no energy counter of its processors ({root}; virtual machines rarely do)"
    try:
        packages = [Package(zone / "energy_uj", int((zone / "max_energy_range_uj").read_text())) for zone in zones]
        rapl = Rapl(packages)
        rapl.read()
    except OSError as error:
        return f"{error.filename} cannot be read: {error.strerror} (Linux keeps it for root)"
    return rapl


def is_package(zone: Path) -> bool:
    """Return whether a zone is a whole package: cores and memory have separate zones in or beside it."""
    try:
        return (zone / "name").read_text().startswith("package")
    except OSError:
        return False


def measure_idle(counter: EnergyCounter, seconds: float = IDLE_S) -> Idle:
    """Measure the idle power over the next `seconds`, in which no worker may compute, and the counter's resolution."""
    start, first = monotonic(), counter.read()
    last, moves = first, []
    while (now := monotonic()) - start < seconds:
        found = counter.read()
        if found != last:
            moves.append(now)
            last = found
        sleep(POLL_S)
    watts = counter.joules(first, counter.read()) / (monotonic() - start)
    return Idle(watts, (moves[-1] - moves[0]) / (len(moves) - 1) if len(moves) > 1 else None)
