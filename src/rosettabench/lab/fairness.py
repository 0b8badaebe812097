"""Compare the settings that must be equal between contenders.

docs/explanation/fairness.md lists the keys that adapters report. Settings that are not named here are shown and not
judged: frameworks may use different image layouts or graphs and still be compared.
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
"""Settings that change how much work is done or how much of the machine it may use. They must be equal in a contest."""

POLICY = (
    "Every worker is held to the same processors, as many as threads, before its framework is loaded, and every "
    "numerical library is told that number of threads."
)
"""The one policy for processors, as reports state it."""

REMEDY = (
    "Make them equal (--set threads=… fixes threads and processors for all; other settings are the implementation's), "
    "or leave --strict out: then it is measured and marked."
)
"""The hint for settings that differ."""


@dataclass(frozen=True)
class SettingDifference:
    """A setting that should be equal and is not: its name, and the value in words of each contender that reports it."""

    name: str
    values: Mapping[str, str]

    @property
    def sentence(self) -> str:
        """The difference as a sentence: The setting threads differs: 1 in pytorch; 2 in jax and mxnet-gluon."""
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
    """Return the settings of EQUAL that differ, in its order, from {label: {setting: value}}.

    A contender that does not report a setting is ignored for it.
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
    """Return {label: value in words} of the contenders that report a setting."""
    return {label: value_words(found[name]) for label, found in settings.items() if found.get(name) is not None}


def value_words(value: object) -> str:
    """Return a setting's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        numbered = bool(value) and all(isinstance(item, int) for item in value)  # "0" alone would read as "none"
        return ("no. " if numbered else "") + (", ".join(map(str, value)) or "none")
    return str(value)
