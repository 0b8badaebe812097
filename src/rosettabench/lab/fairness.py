"""Which settings must be equal between contenders, and which are not.

docs/explanation/fairness.md lists the keys that adapters report. What is not named here is the framework's own
business, shown and
not judged: two frameworks may well lay out their images differently, or build other graphs, and still be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EQUAL = (
    "device",
    "precision",
    "autocast",
    "tf32",
    "embedding_gradient",
    "threads",
    "processors",
    "loader_workers",
    "decoder",
    "deterministic",
    "batch_size",
    "seed",
)
"""Settings that change how much work is done, or how much of the machine it may use: a difference in one of them makes
another contest."""

POLICY = (
    "Every worker is held to the same processors, as many as threads, before its framework is loaded, and every "
    "numerical library is told that number of threads."
)
"""The one policy for processors, as reports state it."""

REMEDY = (
    "Make them equal (--set threads=… fixes threads and processors for all; other settings are the implementation's), "
    "or leave --strict out: then it is measured and marked."
)
"""What to do about a difference."""


@dataclass(frozen=True)
class SettingDifference:
    """A setting that should be equal and is not: its name, and the value of everyone who reports it, in words."""

    name: str
    values: Mapping[str, str]

    @property
    def sentence(self) -> str:
        """The difference as one tells it: The setting threads differs: 1 in pytorch; 2 in jax and mxnet-gluon."""
        holders: dict[str, list[str]] = {}
        for label, value in self.values.items():
            holders.setdefault(value, []).append(label)
        parts = [f"{value} in {' and '.join(labels)}" for value, labels in holders.items()]
        return f"The setting {self.name} differs: {'; '.join(parts)}."


@dataclass(frozen=True)
class PartlyCompiled:
    """A contender whose `compiler` left parts of its step to Python: so many graph breaks, and functions given up."""

    label: str
    compiler: str
    graph_breaks: int
    fallbacks: int


def differences(settings: Mapping[str, Mapping[str, Any]]) -> list[SettingDifference]:
    """Return the differences that should not be, in the order of EQUAL, from {label: {setting: value}}.

    Whoever does not report a setting is neither equal nor different.
    """
    rows = [SettingDifference(name, values_of(name, settings)) for name in EQUAL]
    return [row for row in rows if len({value.casefold() for value in row.values.values()}) > 1]


def partly_compiled(settings: Mapping[str, Mapping[str, Any]]) -> list[PartlyCompiled]:
    """Return whose compiler left parts of the step to Python, from {label: {setting: value}}."""
    return [
        PartlyCompiled(label, found["compiler"], found["graph_breaks"], found["fallbacks"])
        for label, found in settings.items()
        if found.get("graph_breaks") or found.get("fallbacks")
    ]


def values_of(name: str, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return {label: value in words} of everyone who reports a setting."""
    return {label: value_words(found[name]) for label, found in settings.items() if found.get(name) is not None}


def value_words(value: object) -> str:
    """Return a setting's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        numbered = bool(value) and all(isinstance(item, int) for item in value)  # "0" alone would read as "none"
        return ("no. " if numbered else "") + (", ".join(map(str, value)) or "none")
    return str(value)
