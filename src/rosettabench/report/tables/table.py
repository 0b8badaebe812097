"""Tables independent of their format: a caption, columns, and rows of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rosettabench.report.words import figures
from rosettabench.report.words.contest import warning
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary


@dataclass(frozen=True)
class TableCell:
    """One cell. `note` is smaller text beside it: an interval or a reason. `marked` asks for attention."""

    text: str
    note: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Column:
    """The heading of a column; numbers are aligned right. Cells of a `contender` column have the contender's colour.

    If a table does not fit, the columns with the highest `spare` are left out first; those with 0 stay.
    """

    title: str
    numeric: bool = False
    contender: bool = False
    spare: int = 0


@dataclass(frozen=True)
class Table:
    """A caption, with a warning if a stand-in was used, columns and rows."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]


Span = Callable[[float, float, float], str]
"""Writes an interval from its estimate, low and high."""


CONTENDER = Column("contender", contender=True)


NOTHING = TableCell(figures.MISSING)


def plain_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of text with these headings."""
    return tuple(map(Column, titles))


def listing(caption: str, columns: tuple[Column, ...], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of texts."""
    return Table(caption, columns, tuple(tuple(map(TableCell, row)) for row in rows))


def with_warning(contest: ContestSummary, text: str) -> str:
    """Return a table's caption, with a warning if the contest ran on a stand-in."""
    return f"{text} {warning(contest)}".strip()


def relative_cell(relative: Estimate | None) -> TableCell:
    """Return a time relative to the fastest; exactly 1 for the fastest."""
    if relative is not None and relative.exact:
        return TableCell("1×", "reference")
    return estimate_cell(relative, figures.ratio)


def estimate_cell(
    estimate: Estimate | None,
    written: Callable[[float], str],
    interval: Span = lambda _, low, high: figures.span(low, high),
) -> TableCell:
    """Return an estimate with its interval, or with the remark that there were too few rounds for one."""
    if estimate is None:
        return NOTHING
    if estimate.low is None or estimate.high is None:
        return TableCell(written(estimate.value), f"{estimate.rounds} rounds: no interval")
    return TableCell(written(estimate.value), interval(estimate.value, estimate.low, estimate.high))
