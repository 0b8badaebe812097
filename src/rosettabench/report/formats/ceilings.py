"""The ceilings of a machine: a table, sentences, and a record for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosettabench.ceilings.ceiling import Ceiling
from rosettabench.ceilings.measured import MeasuredCeilings
from rosettabench.ceilings.precision import SIGNIFICANDS
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.report.formats.layout import print_table, style_text
from rosettabench.report.formats.record import finite
from rosettabench.report.tables.table import CONTENDER, NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = 1
"""The version of the record's format, raised when a field changes its name or meaning."""

CAPTION = (
    "The highest rate of any block. Below it: the 95% interval of the typical rate, and the size. Products: operations "
    "per second, two for each multiplication with its addition. Copies: bytes per second, read and written."
)


def print_ceilings(measured: MeasuredCeilings, console: Console) -> None:
    """Print the rates of every library, the ceilings, and why something is missing."""
    asked = measured.asked
    console.print(style_text((f"This machine with {threads_words(asked.threads)} on {asked.device}", "bold")))
    print_table(ceilings_table(measured.series), console)
    for ceiling in measured.ceilings:
        console.print(style_text((ceiling_words(ceiling), "bold")))
    for sentence in doubts(measured.series):
        console.print(style_text((sentence, "yellow")))
    for one in measured.refused:
        console.print(style_text((f"{one.library}, {what_words(one.kind, one.what)}: {one.why}.", "dim")))
    for failure in measured.failures:
        console.print(style_text((f"failed: {failure.what}", "red")))


def ceilings_table(series: Sequence[CeilingSeries]) -> Table:
    """Return the table with a row for each library and a column for each kind of work."""
    found = dict.fromkeys((one.kind, one.what) for one in series)
    works = sorted(found, key=lambda work: [*SIGNIFICANDS, work[1]].index(work[1]))  # precisions first, in their order
    columns = [Column(what_words(kind, what), numeric=True) for kind, what in works]
    rows = tuple(
        (
            TableCell(library),
            *(
                best_cell([one for one in of_library(series, library) if (one.kind, one.what) == work])
                for work in works
            ),
        )
        for library in dict.fromkeys(one.library for one in series)
    )
    return Table(CAPTION, (CONTENDER, *columns), rows)


def of_library(series: Sequence[CeilingSeries], library: str) -> list[CeilingSeries]:
    """Return the series of one library."""
    return [one for one in series if one.library == library]


def best_cell(series: Sequence[CeilingSeries]) -> TableCell:
    """Return the highest rate among a library's series of one kind of work, preferably one that counts."""
    if not series:
        return NOTHING
    best = max(series, key=lambda one: (one.fault is None, one.best))
    longest = max((one for one in series if one.size == best.size), key=lambda one: len(one.seconds))
    typical = longest.typical
    unit = unit_of(best.kind, best.best)
    span = "" if typical is None else f"{figures.span(typical.low / unit.size, typical.high / unit.size)}; "
    text = f"{figures.significant(best.best / unit.size)} {unit.name}"
    return TableCell(text, f"{span}{size_words(best.kind, best.size)}", marked=best.fault is not None)


def doubts(series: Sequence[CeilingSeries]) -> list[str]:
    """Return why some series do not count as ceilings."""
    told = [(one.library, what_words(one.kind, one.what), one.fault) for one in series if one.fault is not None]
    firsts = {(library, work): fault for library, work, fault in reversed(told)}
    return [f"{library}, {work}, does not count: {fault}." for (library, work), fault in reversed(firsts.items())]


def ceiling_words(ceiling: Ceiling) -> str:
    """Return a ceiling as a sentence: float32: 181 GFLOP/s, reached by pytorch with matrices of 2,048 rows."""
    return (
        f"Ceiling, {what_words(ceiling.kind, ceiling.what)}: {rate_words(ceiling)}, reached by "
        f"{ceiling.library} ({size_words(ceiling.kind, ceiling.size)})."
    )


def rate_words(ceiling: Ceiling) -> str:
    """Return a ceiling's rate with a suitable unit."""
    return figures.speed(ceiling.rate) if ceiling.kind == "product" else figures.bandwidth(ceiling.rate)


def threads_words(threads: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if threads == 1 else f"{threads} threads"


def what_words(kind: str, what: str) -> str:
    """Return a kind of work in words: a precision, or a way of copying."""
    return what if kind == "product" else f"copy {what.replace('_', ' ')}"


def size_words(kind: str, size: int) -> str:
    """Return the size of a work in words: the rows of matrices, or the memory of an array."""
    return f"{figures.count(size)} rows" if kind == "product" else figures.memory(size)


def unit_of(kind: str, rate: float) -> figures.Unit:
    """Return the unit of a rate."""
    return figures.fitting(rate, figures.SPEEDS if kind == "product" else figures.BANDWIDTHS)


def ceilings_record(measured: MeasuredCeilings) -> dict[str, Any]:
    """Return all measurements of a run of ``rosetta peak``, for programs.

    docs/explanation/ceilings.md describes the format.
    """
    found: dict[str, Any] = finite(
        {
            "format": FORMAT,
            "run": measured.run,
            "at": measured.at,
            "machine": measured.machine,
            **measured.asked.model_dump(exclude={"kind"}),
            "ceilings": [vars(ceiling) for ceiling in measured.ceilings],
            "series": [
                {**one.model_dump(), "best": one.best, "fault": one.fault, "typical": typical_record(one)}
                for one in measured.series
            ],
            "refused": [one.model_dump() for one in measured.refused],
            "failures": [{"what": failure.what, "kind": failure.kind} for failure in measured.failures],
        }
    )
    return found


def typical_record(series: CeilingSeries) -> dict[str, float] | None:
    """Return the typical rate with its interval; None if there are too few blocks for one."""
    typical = series.typical
    return None if typical is None else {"rate": typical.ratio, "low": typical.low, "high": typical.high}
