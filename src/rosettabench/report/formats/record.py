"""The whole summary as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from math import isfinite
from typing import Any

from pydantic import BaseModel

from rosettabench.report.tables.reasons import reason_tables
from rosettabench.summary.records import RunSummary

FORMAT = 1
"""Version of the form of this JSON: raised when a field changes its name or meaning."""


def render_json(summary: RunSummary) -> str:
    """Return the summary with all raw samples as JSON; docs/reference/report.md tells its form.

    Numbers that are not finite, which JSON does not have, become the texts "nan", "inf" and "-inf".
    """
    told = asdict(summary)
    for contest, own in zip(summary.contests, told["contests"], strict=True):
        if contest.reasons is not None:
            explanation = contest.reasons.explanation
            del own["reasons"]["explanation"]
            own["reasons"]["tables"] = [asdict(table) for table in reason_tables(explanation)]
    return json.dumps({"format": FORMAT, **finite(told)}, indent=1, allow_nan=False)


def as_json(found: Mapping[str, object]) -> str:
    """Return dataclasses and plain data, by name, as JSON of the same FORMAT."""
    return json.dumps({"format": FORMAT, **finite(dict(found))}, indent=1, allow_nan=False)


def finite(value: object) -> Any:  # noqa: ANN401 (whatever JSON can hold)
    """Return `value`, dataclasses as objects, with every float that JSON cannot hold as a text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return finite(asdict(value))
    if isinstance(value, BaseModel):
        return finite(value.model_dump())
    if isinstance(value, dict):
        return {str(key): finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return value
