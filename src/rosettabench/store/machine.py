"""The kind of a machine: results of different kinds are never mixed in one ratio."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

HARDWARE = ("processor", "cores_in_machine", "gpus")
"""Facts of a machine that hold for every process, however many of its cores it may use."""

KIND = (*HARDWARE, "cores")
"""Facts in which machines of one kind are equal. A new kernel or driver is reported as a change of the same machine."""


def machine_key(machine: Mapping[str, Any], facts: Iterable[str] = KIND) -> str:
    """Return facts of a machine as text: two runs with the same key were made on machines of one kind.

    Runs of earlier versions that do not tell of a GPU had none.
    """
    return json.dumps([machine.get(fact) or None for fact in facts])


def same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two machines are of one kind, by the facts in KIND."""
    return machine_key(one) == machine_key(other)


def same_hardware(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether the ceilings of one machine are those of another, by the facts in HARDWARE."""
    return machine_key(one, HARDWARE) == machine_key(other, HARDWARE)


def kinds_of_machines(machines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the facts of one machine of each kind, in the order of their first appearance."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in machines:
        found.setdefault(machine_key(one), one)
    return list(found.values())
