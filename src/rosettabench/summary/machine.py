"""The identity of a machine: results of different machines are never mixed in one ratio."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

MACHINE = ("processor", "cores", "cores_in_machine")
"""Facts that identify a machine. A new kernel or driver is reported as a change of the same machine."""


def machine_key(machine: Mapping[str, Any]) -> str:
    """Return the facts in MACHINE as text: two runs with the same key were made on the same machine."""
    return json.dumps([machine.get(name) for name in MACHINE])


def same_machine(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two runs were made on the same machine, by the facts in MACHINE."""
    return machine_key(one) == machine_key(other)


def kinds_of_machines(machines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the facts of one machine of each kind, in the order of their first appearance."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in machines:
        found.setdefault(machine_key(one), one)
    return list(found.values())
