"""The meter of one worker: everything that it uses in its counted blocks, over the same windows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from rosettabench.resources.counters import COUNTERS, read_counters, used_between
from rosettabench.resources.resource import Resource
from rosettabench.resources.sampler import INTERVAL_S, Sampler
from rosettabench.resources.sensors import Sensors
from rosettabench.resources.tree import process_tree

UNKNOWN = "the driver knows none of the worker's processes by our numbers"
TOO_SHORT = f"no turn lasted for {INTERVAL_S} s, the time between two samples"
"""Why there are no samples of a GPU."""


@dataclass(frozen=True)
class Amount:
    """One figure over all windows; `detail` has the number of windows, their seconds, and more by figure."""

    name: Resource
    value: float
    detail: dict[str, Any]


class Meter:
    """Reads counters at the start and end of each window, outside of the timed block, and sums the differences.

    In between, only a GPU is read, by a Sampler.
    """

    def __init__(self, pid: int, sensors: Sensors) -> None:
        """`pid` is the worker's process, whose children count, too. Nothing is read before the first window."""
        self._pid = pid
        self._sensors = sensors
        self._sampler = Sampler(sensors.gpu) if sensors.gpu is not None else None
        self._sums: dict[Resource, float] = defaultdict(float)
        self.unreadable: dict[Resource, str] = dict(sensors.unreadable)
        self.windows = 0
        self.seconds = 0.0

    @contextmanager
    def window(self) -> Iterator[None]:
        """Count what the worker uses inside. A window that ends in an error does not count, nor does its block."""
        before, energy = read_counters(self._pid), self._energy()
        start = monotonic()
        if self._sampler is not None:
            self._sampler.start(process_tree(self._pid))
        try:
            yield
        finally:
            if self._sampler is not None:
                self._sampler.stop()
        elapsed = monotonic() - start
        for (counter, idle), then, now in zip(self._sensors.energy, energy, self._energy(), strict=True):
            if then is not None and now is not None:
                self._sums[counter.name] += counter.joules(then, now) - idle.watts * elapsed
        usage = used_between(before, read_counters(self._pid))
        for name, value in usage.values.items():
            self._sums[name] += value
        self.unreadable |= usage.unreadable
        self.windows += 1
        self.seconds += elapsed

    def amounts(self) -> list[Amount]:
        """Return the sums over all windows; `unreadable` says why others are missing."""
        if not self.windows:
            return []
        common = {"windows": self.windows, "seconds": self.seconds}
        counted = [Amount(name, self._sums[name], common) for name in COUNTERS if self._whole(name)]
        energy = [
            Amount(
                counter.name,
                self._sums[counter.name],
                {**common, "idle_w": idle.watts, "resolution_s": idle.resolution_s},
            )
            for counter, idle in self._sensors.energy
            if self._whole(counter.name)
        ]
        return [*counted, *energy, *self._sampled_amounts(common)]

    def _energy(self) -> list[Sequence[int] | None]:
        """Read every energy counter. If one fails, note why: its figure is then incomplete."""
        found: list[Sequence[int] | None] = []
        for counter, _ in self._sensors.energy:
            try:
                found.append(counter.read())
            except OSError as error:
                found.append(None)
                self.unreadable[counter.name] = str(error)
        return found

    def _whole(self, name: Resource) -> bool:
        """Return whether a counter was read in every window."""
        return name in self._sums and name not in self.unreadable

    def _sampled_amounts(self, common: dict[str, Any]) -> list[Amount]:
        """Return the amounts sampled from the GPU."""
        sampler = self._sampler
        if sampler is None:
            return []
        detail = {**common, "interval_s": INTERVAL_S, "controller_cpu_s": sampler.cpu_s}
        found = []
        if sampler.memory is not None:
            found.append(Amount(Resource.GPU_MEMORY, float(sampler.memory), detail))
        else:
            self.unreadable[Resource.GPU_MEMORY] = sampler.fault or UNKNOWN
        samples = sampler.utilisation
        if samples:
            found.append(
                Amount(Resource.GPU_UTILISATION, sum(samples) / len(samples), {**detail, "samples": len(samples)})
            )
        else:
            self.unreadable[Resource.GPU_UTILISATION] = sampler.fault or TOO_SHORT
        return found
