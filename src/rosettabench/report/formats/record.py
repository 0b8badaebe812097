"""The whole summary as JSON, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from rosettabench.report.formats.fields import FIELDS
from rosettabench.summary.records import RunSummary

FORMAT = 2
"""The version of the JSON format, raised when a field changes its name or meaning."""


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
    if value is None or isinstance(value, str | int):  # most values: the cheapest question first
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return finite(fields_of(value))
    if isinstance(value, BaseModel):
        return finite(value.model_dump())
    if isinstance(value, dict):
        return {str(key): finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return value


def fields_of(record: Any) -> dict[str, object]:  # noqa: ANN401 (any dataclass)
    """Return the fields of a dataclass in JSON: its own, or those of FIELDS, some of which hold words."""
    words = FIELDS.get(type(record), {name.name: None for name in fields(record)})
    return {name: getattr(record, name) if made is None else made(record) for name, made in words.items()}
