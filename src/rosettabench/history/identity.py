"""The identity of a measured contender, and what changed between two measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VOLATILE = frozenset({"process_threads", "child_processes", "graphs"})
"""Settings that are momentary counts: they differ between two starts of one contender."""

NEITHER = "none"
"""The word for a missing value."""


@dataclass(frozen=True)
class Identity:
    """The identity of an entry, as in the store. A part that was not recorded is empty.

    packages: name → version; interpreter: Python's version; settings: as the framework reported them; hashes: of
    implementation, adapter, worker, workload, weights and data, from the certificate.
    """

    packages: Mapping[str, str] = field(default_factory=dict)
    interpreter: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def own(self) -> tuple[object, ...]:
        """The parts that belong to the contender: two entries in which they are equal have the same contender."""
        settings = {name: value for name, value in self.settings.items() if name not in VOLATILE}
        files = {name: self.hashes.get(name) for name in ("implementation", "adapter")}
        return dict(self.packages), self.interpreter, settings, files


@dataclass(frozen=True)
class Change:
    """Something that was `before` and is `after`, in words: ``torch``, ``2.12.0``, ``2.13.0``."""

    what: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        """The change in words: torch 2.12.0 → 2.13.0."""
        if len(self.before) == len(self.after) == 64:  # two digests mean nothing to a reader
            return f"{self.what} changed"
        return f"{self.what} {self.before} → {self.after}"


def changes(before: Identity, after: Identity) -> list[Change]:
    """Return what changed in a contender: packages, Python, settings, files.

    A part that one side did not record is ignored.
    """
    found = changed_values("", before.packages, after.packages) if before.packages and after.packages else []
    if before.interpreter and after.interpreter:
        found += changed_values("", {"Python": before.interpreter}, {"Python": after.interpreter})
    if before.settings and after.settings:
        found += changed_values("setting ", steady_settings(before.settings), steady_settings(after.settings))
    shared = before.hashes.keys() & after.hashes.keys()
    return found + changed_values(
        "file of the ", {name: before.hashes[name] for name in shared}, {name: after.hashes[name] for name in shared}
    )


def machine_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what changed in the machine: processor, memory, kernel, driver, and everything else both runs recorded."""
    shared = before.keys() & after.keys()
    return changed_values("", {name: before[name] for name in shared}, {name: after[name] for name in shared})


def steady_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that do not change from one start to the next."""
    return {name: value for name, value in settings.items() if name not in VOLATILE}


def changed_values(prefix: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return the differences between two mappings, by name."""
    names = sorted(before.keys() | after.keys())
    return [
        Change(prefix + name.replace("_", " "), value_words(before.get(name)), value_words(after.get(name)))
        for name in names
        if before.get(name) != after.get(name)
    ]


def value_words(value: object) -> str:
    """Return a value in words."""
    if value is None or value in ([], {}, ""):
        return NEITHER
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(value_words, value))
    if isinstance(value, dict):
        return " ".join(map(value_words, value.values()))
    return str(value)
