"""What a table is: a caption, columns and rows of cells, for whoever prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rosettabench.report.words import figures
from rosettabench.report.words.contest import warning
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary


@dataclass(frozen=True)
class TableCell:
    """One cell. `note` is what stands smaller beside the text: an interval, a reason. `marked` asks for attention."""

    text: str
    note: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Column:
    """A column's heading; numbers stand flush right. Cells of a `contender` column carry its colour.

    Where there is too little room for a table, its columns with the highest `spare` go first; those with 0 stay.
    """

    title: str
    numeric: bool = False
    contender: bool = False
    spare: int = 0


@dataclass(frozen=True)
class Table:
    """A caption, which says so where a stand-in was used, columns and rows."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]


Span = Callable[[float, float, float], str]
"""How an interval is written: from estimate, low and high."""


CONTENDER = Column("contender", contender=True)


NOTHING = TableCell(figures.MISSING)


def plain_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of text with these headings."""
    return tuple(map(Column, titles))


def listing(caption: str, columns: tuple[Column, ...], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of texts."""
    return Table(caption, columns, tuple(tuple(map(TableCell, row)) for row in rows))


def with_warning(contest: ContestSummary, text: str) -> str:
    """Return a table's caption, with the warning where the contest ran on a stand-in."""
    return f"{text} {warning(contest)}".strip()


def relative_cell(relative: Estimate | None) -> TableCell:
    """Return a time relative to the fastest; that of the fastest is 1 by definition."""
    if relative is not None and relative.exact:
        return TableCell("1×", "reference")
    return estimate_cell(relative, figures.ratio)


def estimate_cell(
    estimate: Estimate | None,
    written: Callable[[float], str],
    interval: Span = lambda _, low, high: figures.span(low, high),
) -> TableCell:
    """Return an estimate with its interval; where the rounds were too few for one, the cell says so."""
    if estimate is None:
        return NOTHING
    if estimate.low is None or estimate.high is None:
        return TableCell(written(estimate.value), f"{estimate.rounds} rounds: no interval")
    return TableCell(written(estimate.value), interval(estimate.value, estimate.low, estimate.high))
