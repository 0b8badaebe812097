"""The machine of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosettabench.report.words import figures
from rosettabench.summary.records import RunSummary

MACHINE = {
    "processor": "Processor",
    "cores": "Cores",
    "memory_bytes": "Memory",
    "system": "System",
    "python": "Python of Rosettabench",
    "gpus": "GPUs",
}
"""{recorded property of a machine: its name}, in the order of display. Other properties follow under their own
names."""


def machine_words(summary: RunSummary) -> tuple[tuple[str, str], ...]:
    """Return the machine as (name, value) pairs, with the load by others during the rounds, if known."""
    found = summary.machine
    ordered = {**{name: found[name] for name in MACHINE if name in found}, **found}
    told = [(MACHINE.get(name, name.replace("_", " ")), machine_value(name, value)) for name, value in ordered.items()]
    told += [("Contests", sentence) for sentence in several_machines(summary)]
    if summary.load is not None:
        others, stolen = map(figures.percent, summary.load)
        shares = f"{others} of the processors' time, the hypervisor {stolen}"
        told.append(("Load during the rounds", f"other programs used {shares}"))
    return tuple(told)


def machine_value(name: str, value: object) -> str:
    """Return one property of the machine in words."""
    if name.endswith("_bytes") and isinstance(value, int | float):
        return figures.memory(value)
    if isinstance(value, list):
        return "; ".join(machine_value("", part) for part in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key.removesuffix('_bytes')} {machine_value(key, part)}" for key, part in value.items())
    return str(value)


def machine_title(machine: Mapping[str, Any]) -> str:
    """Return the name of a machine: its processor and cores (store/machine.py: KIND)."""
    processor, cores, whole = (machine.get(name) for name in ("processor", "cores", "cores_in_machine"))
    told = [str(processor or "unknown processor")]
    if cores is not None:
        told.append(f"{cores} of {whole} cores" if whole is not None and whole != cores else f"{cores} cores")
    return ", ".join(told)


def several_machines(summary: RunSummary) -> tuple[str, ...]:
    """Return which contests each kind of machine measured; empty unless there are several kinds."""
    groups = summary.by_machine
    if len(groups) < 2:
        return ()
    names = [", ".join(contest.name for contest in contests) for _, contests in groups]
    return tuple(f"Measured on {machine_title(kind)}: {told}." for (kind, _), told in zip(groups, names, strict=True))
