"""The tables for which several contests of a run are compared with each other."""

from __future__ import annotations

from rosettabench.report.tables.decoding import decoding_table
from rosettabench.report.tables.devices import devices_table
from rosettabench.report.tables.table import Table
from rosettabench.summary.records import RunSummary


def whole_tables(summary: RunSummary) -> tuple[Table, ...]:
    """Return those that have rows: several devices beside one, and prefill and decoding apart."""
    return tuple(table for table in (devices_table(summary), decoding_table(summary)) if table.rows)
