"""Several releases of a library in one contest, as a table and in words."""

from __future__ import annotations

from rosettabench.report.tables.table import CONTENDER, NOTHING, Column, Table, TableCell, with_warning
from rosettabench.report.words import figures
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary
from rosettabench.summary.releases import DatedEntry, dated_contenders, progress

SHOWN = 12
"""The digits of a certificate's key in a table: enough to be unique in a report."""


def progress_sentences(contest: ContestSummary) -> tuple[str, ...]:
    """Return a sentence for each library: its speed today, relative to its oldest measured release."""
    return tuple(
        f"{one.library}: {one.now.entry.label} of {one.now.released.year} is {figures.ratio(one.factor.value)} as fast "
        f"as {one.then.entry.label} of {one.then.released.year}{interval_in_brackets(one.factor)}."
        for one in progress(contest)
    )


def interval_in_brackets(factor: Estimate) -> str:
    """Return the interval of a factor in brackets; "" if it has none."""
    if factor.low is None or factor.high is None:
        return ""
    return f" ({figures.span(factor.low, factor.high)})"


def releases_table(contest: ContestSummary) -> Table:
    """Return the table with a row for every release of each library with several releases; possibly without rows."""
    columns = (
        Column("library"),
        Column("released", numeric=True),
        CONTENDER,
        Column("mode", spare=2),
        Column("samples per second", numeric=True),
        Column("certificate", spare=1),
    )
    caption = "Then and now: the same work in several releases of a library, on this machine, from old to new."
    return Table(with_warning(contest, caption), columns, tuple(release_row(one) for one in dated_contenders(contest)))


def release_row(one: DatedEntry) -> tuple[TableCell, ...]:
    """Return the row of a release. The certificate's cell says if it is not proven."""
    entry, speed = one.entry, one.entry.throughput
    return (
        TableCell(one.library),
        TableCell(f"{one.released:%Y-%m-%d}"),
        TableCell(entry.label),
        TableCell(entry.mode),
        TableCell(figures.significant(speed.value), interval_in_brackets(speed).strip(" ()")) if speed else NOTHING,
        TableCell((entry.proof.key or "")[:SHOWN]) if entry.proof.holds else TableCell(entry.proof.state, marked=True),
    )
