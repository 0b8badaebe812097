"""One NVIDIA GPU, read through the driver's management library (NVML)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rosettabench.resources.resource import Resource

GPU_FIGURES = (Resource.GPU_MEMORY, Resource.GPU_UTILISATION, Resource.GPU_ENERGY)
"""The figures of a GPU."""


class Gpu:
    """The GPU that a worker on ``cuda`` computes on, and the EnergyCounter of ``gpu_energy_j``.

    Raises OSError if the driver does not report a value.
    """

    name = Resource.GPU_ENERGY

    def __init__(self, nvml: Any, handle: Any) -> None:  # noqa: ANN401 (pynvml has no types)
        """`nvml` is the module pynvml, initialised; `handle` is NVML's handle of the device."""
        self._nvml = nvml
        self._handle = handle

    def memory(self, pids: Collection[int]) -> int | None:
        """Return the bytes of device memory that these processes hold; None if the driver knows none of them.

        In a container the driver may use other process ids than this system.
        """
        running = self._ask("nvmlDeviceGetComputeRunningProcesses")
        held = [process.usedGpuMemory for process in running if process.pid in pids]
        known = [amount for amount in held if amount is not None]
        return sum(known) if known else None

    def utilisation(self) -> float:
        """Return the share of the driver's last sampling period (1/6 to 1 s, by NVML) in which a kernel ran."""
        return float(self._ask("nvmlDeviceGetUtilizationRates").gpu) / 100

    def read(self) -> Sequence[int]:
        """Return the millijoules since the driver was loaded (Volta and newer)."""
        return [self._ask("nvmlDeviceGetTotalEnergyConsumption")]

    def joules(self, before: Sequence[int], after: Sequence[int]) -> float:
        """Return the energy of the whole device between two readings."""
        return (after[0] - before[0]) / 1000

    def _ask(self, question: str) -> Any:  # noqa: ANN401
        """Call one function of NVML for the device; raise OSError if the driver does not answer."""
        try:
            return getattr(self._nvml, question)(self._handle)
        except self._nvml.NVMLError as error:
            raise OSError(f"the NVIDIA driver does not answer {question}: {error}") from error


def find_gpu(variables: Mapping[str, str] = os.environ) -> Gpu | str:
    """Return the GPU that a worker with these environment variables uses as ``cuda``, or why it cannot be watched."""
    import pynvml

    try:
        pynvml.nvmlInit()
        return Gpu(pynvml, handle(pynvml, variables.get("CUDA_VISIBLE_DEVICES", "0")))
    except pynvml.NVMLError as error:
        return f"the NVIDIA driver does not tell: {error}"


def gpu_names() -> list[str]:
    """Return the names of this machine's NVIDIA GPUs, in the driver's order; empty if no driver answers."""
    import pynvml

    try:
        pynvml.nvmlInit()
        handles = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]
        return [str(pynvml.nvmlDeviceGetName(one)) for one in handles]
    except pynvml.NVMLError:
        return []


def handle(nvml: Any, visible: str) -> Any:  # noqa: ANN401 (pynvml has no types)
    """Return NVML's handle of the first of CUDA_VISIBLE_DEVICES: a number in PCI order, or a UUID.

    Workers use the same order: CUDA_DEVICE_ORDER in `rosettabench.client.machine.worker_variables`.
    """
    first = visible.split(",")[0].strip()
    if first.isdigit():
        return nvml.nvmlDeviceGetHandleByIndex(int(first))
    return nvml.nvmlDeviceGetHandleByUUID(first)
