"""The whole summary as JSON, for programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from rosettabench.report.formats.fields import FIELDS
from rosettabench.summary.records import RunSummary

FORMAT = 2
"""The version of the JSON format, raised when a field changes its name or meaning."""

UNCHANGED = frozenset({type(None), str, int, bool})
"""The types whose values JSON always has."""

SCALAR = UNCHANGED | {float}


def render_json(summary: RunSummary) -> str:
    """Return the summary with all raw samples as JSON; docs/reference/report.md describes the format.

    Numbers that are not finite, which JSON lacks, become the texts "nan", "inf" and "-inf".
    """
    return as_json(fields_of(summary))


def as_json(found: Mapping[str, object]) -> str:
    """Return {name: dataclass or plain data} as JSON of the same FORMAT."""
    return to_json({"format": FORMAT, **finite(dict(found))}, indent=1).decode()


def finite(value: object) -> Any:  # noqa: ANN401 (whatever JSON can hold)
    """Return `value` with dataclasses as objects, and every float that JSON lacks as a text."""
    kind = type(value)
    if kind in UNCHANGED:  # most values: the cheapest question first
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if is_dataclass(kind):
        found = fields_of(value)
        return found if is_finite(found.values()) else {name: finite(part) for name, part in found.items()}
    if isinstance(value, BaseModel):
        return finite(value.model_dump())
    if isinstance(value, dict):
        return {str(key): finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return value


def is_finite(values: Collection[object]) -> bool:
    """Return whether JSON has all of these values as they are: so it is of a block, and a run has thousands of them."""
    if not SCALAR.issuperset(map(type, values)):
        return False
    return all(isfinite(one) for one in values if type(one) is float)


def fields_of(record: Any) -> dict[str, object]:  # noqa: ANN401 (any dataclass)
    """Return the fields of a dataclass in JSON: its own, or those of FIELDS, some of which hold words."""
    if (words := FIELDS.get(type(record))) is not None:
        return {name: getattr(record, name) if made is None else made(record) for name, made in words.items()}
    own = vars(record)
    return {name: own[name] for name in field_names(record.__class__)}


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(one.name for one in fields(kind))
