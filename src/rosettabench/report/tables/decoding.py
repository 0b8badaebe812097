"""Writing texts: what a text costs before its first new token, and what each further token costs."""

from __future__ import annotations

from rosettabench.report.tables.table import CONTENDER, Column, Table, TableCell, estimate_cell
from rosettabench.report.words import figures
from rosettabench.summary.decoding import decodings
from rosettabench.summary.records import RunSummary


def decoding_table(summary: RunSummary) -> Table:
    """Return prefill and decoding of each contender, apart; empty if a run has not measured both."""
    caption = (
        "Prefill and decoding apart, for a batch of texts. Prefill: the time up to the first new token, measured as a "
        "contest of its own. Further token: what is left of the time of whole texts, divided by their further tokens. "
        "The intervals of the last two columns hold wherever the two measured times are in theirs."
    )
    columns = (
        Column("contest"),
        CONTENDER,
        Column("prefill", numeric=True),
        Column("further token", numeric=True),
        Column("further tokens per second", numeric=True),
    )
    rows = tuple(
        (
            TableCell(one.contest),
            TableCell(one.label),
            estimate_cell(one.prefill, figures.seconds, figures.seconds_span),
            estimate_cell(one.token, figures.seconds, figures.seconds_span),
            estimate_cell(one.per_second, figures.significant),
        )
        for one in decodings(summary.contests)
    )
    return Table(caption, columns, rows)
