"""Amounts of resources, with the reasons for those that could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rosettabench.resources.resource import Resource


@dataclass(frozen=True)
class Usage:
    """Amounts of resources; `unreadable` has a sentence for each that is missing."""

    values: Mapping[Resource, float] = field(default_factory=dict)
    unreadable: Mapping[Resource, str] = field(default_factory=dict)

    def and_also(self, other: Usage) -> Usage:
        """Return both together; their resources must differ."""
        return Usage({**self.values, **other.values}, {**self.unreadable, **other.unreadable})


def nothing(names: tuple[Resource, ...], why: str) -> Usage:
    """Return a Usage in which nothing could be read, for one reason."""
    return Usage({}, dict.fromkeys(names, why))
