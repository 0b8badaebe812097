"""Amounts of resources, with the reasons for those that could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Usage:
    """Amounts by the name of their figure; `unreadable` has a sentence for each name that is missing.

    Units are in the names: ``_s`` seconds, ``_bytes``, ``_j`` joules; faults and switches are counts.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)

    def and_also(self, other: Usage) -> Usage:
        """Return both together; their names must differ."""
        return Usage({**self.values, **other.values}, {**self.unreadable, **other.unreadable})


def nothing(names: tuple[str, ...], why: str) -> Usage:
    """Return a Usage in which no name could be read, for one reason."""
    return Usage({}, dict.fromkeys(names, why))
