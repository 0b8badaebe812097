"""The device-wide sensors of this machine. They are found, and their idle power measured, once."""

from __future__ import annotations

from dataclasses import dataclass, field

from rosettabench.resources.energy import EnergyCounter, Idle, Rapl, find_rapl, measure_idle
from rosettabench.resources.gpu import GPU_FIGURES, Gpu, find_gpu
from rosettabench.resources.resource import Resource


@dataclass(frozen=True)
class Sensors:
    """The device-wide counters with their idle power, the GPU if the work runs on one, and why others are missing."""

    energy: tuple[tuple[EnergyCounter, Idle], ...] = ()
    gpu: Gpu | None = None
    unreadable: dict[Resource, str] = field(default_factory=dict)


def find_sensors(device: str) -> Sensors:
    """Return the sensors for workers that compute on `device`: ``cpu`` or ``cuda``.

    It measures the idle power for a second per energy counter. No worker may compute meanwhile.
    """
    unreadable: dict[Resource, str] = {}
    counters: list[EnergyCounter] = []
    rapl = find_rapl()
    if isinstance(rapl, Rapl):
        counters.append(rapl)
    else:
        unreadable[Rapl.name] = rapl
    gpu = find_gpu() if device == "cuda" else None
    if isinstance(gpu, Gpu):
        counters.append(gpu)
    elif gpu is not None:
        unreadable |= dict.fromkeys(GPU_FIGURES, gpu)
    energy = []
    for counter in counters:
        try:
            energy.append((counter, measure_idle(counter)))
        except OSError as error:
            unreadable[counter.name] = str(error)
    return Sensors(tuple(energy), gpu if isinstance(gpu, Gpu) else None, unreadable)
