"""The raw samples as a table for spreadsheets and data frames: one row per block, warm-ups included."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from operator import itemgetter
from typing import Any

from rosettabench.report.tables.forecasts import MEASURES
from rosettabench.summary.records import ContestSummary, RunSummary, Sample

COLUMNS = (
    *("run", "contest", "workload", "contender", "control_of", "proof", "data", "flop_per_s", "share_of_peak"),
    *MEASURES,
    *(f.name for f in fields(Sample)),
)
"""The columns. `data` is original, download or stand-in. `flop_per_s` counts the workload's products, and
`share_of_peak` is that rate over the ceiling; both are empty if unknown. mase, smape and mean_weighted_quantile_loss
are those of the contender's forecasts after the training, if any. The columns from `session` on are the store's."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of texts that a spreadsheet may run as a formula (OWASP, "CSV Injection")."""


def sample_rows(summary: RunSummary) -> list[dict[str, Any]]:
    """Return every block of the run, with the names of its run, contest and contender."""
    return [
        {
            "run": summary.id,
            "contest": contest.name,
            "workload": contest.workload,
            "contender": entry.label,
            "control_of": entry.control_of,
            "proof": entry.proof.state,
            "data": contest.data.origin if contest.data else "",
            **share_fields(contest, sample),
            **{name: getattr(entry.forecasts, name, None) for name in MEASURES},
            **vars(sample),
        }
        for contest in summary.contests
        for entry in contest.entries
        for sample in entry.samples
    ]


def share_fields(contest: ContestSummary, sample: Sample) -> dict[str, float | None]:
    """Return a block's operations per second and its share of the ceiling; None if unknown."""
    peak = contest.peak
    if peak.per_sample is None or sample.elapsed_s <= 0:
        return {"flop_per_s": None, "share_of_peak": None}
    achieved = peak.per_sample * sample.samples / sample.elapsed_s
    return {"flop_per_s": achieved, "share_of_peak": None if peak.ceiling is None else achieved / peak.ceiling}


def render_csv(summary: RunSummary) -> str:
    """Return the raw samples as CSV (RFC 4180) with a header. Durations are in seconds, exact as stored."""
    return as_csv(COLUMNS, sample_rows(summary))


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV (RFC 4180) with a header, with all texts made harmless."""
    text, in_order = io.StringIO(newline=""), itemgetter(*columns)
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([harmless(one) if isinstance(one, str) else one for one in in_order(row)] for row in rows)
    return text.getvalue()


def harmless(text: str) -> str:
    """Return a text changed so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
