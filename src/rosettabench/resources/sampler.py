"""Sample a GPU's memory and utilisation at a low fixed rate while a worker computes."""

from __future__ import annotations

from collections.abc import Collection
from threading import Event, Thread
from time import thread_time

from rosettabench.resources.gpu import Gpu

INTERVAL_S = 0.2
"""Seconds between two samples: the highest rate that disturbs no worker."""


class Sampler:
    """Samples in its own thread between `start` and `stop`; the rest of the controller goes on waiting.

    `memory`: the largest number of bytes seen; None if the driver knew none of the processes. `utilisation`: the
    samples. `cpu_s`: the processor time that sampling used. `fault`: why it stopped early, if it did.
    """

    def __init__(self, gpu: Gpu) -> None:
        """Start no thread and read nothing: both begin in `start`."""
        self._gpu = gpu
        self._over = Event()
        self._thread: Thread | None = None
        self.memory: int | None = None
        self.utilisation: list[float] = []
        self.cpu_s = 0.0
        self.fault: str | None = None

    def start(self, pids: Collection[int]) -> None:
        """Begin to sample the GPU for these processes."""
        self._over.clear()
        self._thread = Thread(target=self._sample, args=(frozenset(pids),), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take the last sample and end."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _sample(self, pids: frozenset[int]) -> None:
        """Take samples until `stop` is called."""
        over = False
        try:
            while not over:
                over = self._over.wait(INTERVAL_S)
                self._look(pids, over)
        except OSError as error:
            self.fault = str(error)
        self.cpu_s += thread_time()

    def _look(self, pids: frozenset[int], over: bool) -> None:
        """Take one sample; no utilisation at the end, which in a short window would describe the time before it."""
        held = self._gpu.memory(pids)
        if held is not None:
            self.memory = max(held, self.memory or 0)
        if not over:
            self.utilisation.append(self._gpu.utilisation())
