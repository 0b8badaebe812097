"""The raw samples as a table: one row per block, warm-ups included, for any spreadsheet or data frame."""

from __future__ import annotations

import csv
import io
from dataclasses import fields
from typing import Any

from rosettabench.report.summary import RunSummary, Sample

COLUMNS = ("run", "contest", "workload", "contender", "control_of", "proof", "data", *(f.name for f in fields(Sample)))
"""`data` is original, download or stand-in; the columns from `session` on are the store's own."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a text that a spreadsheet would run as a formula (OWASP, "CSV Injection")."""


def sample_rows(summary: RunSummary) -> list[dict[str, Any]]:
    """Return every block of the run with the names of what it belongs to."""
    return [
        {
            "run": summary.id,
            "contest": contest.name,
            "workload": contest.workload,
            "contender": entry.label,
            "control_of": entry.control_of,
            "proof": entry.proof.state,
            "data": contest.data.origin if contest.data else "",
            **vars(sample),
        }
        for contest in summary.contests
        for entry in contest.entries
        for sample in entry.samples
    ]


def render_csv(summary: RunSummary) -> str:
    """Return the raw samples as CSV (RFC 4180) with a header. Durations are in seconds, exact as stored."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in sample_rows(summary))
    return text.getvalue()


def harmless(value: object) -> object:
    """Return a text that no spreadsheet takes for a formula; other values as they are."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
