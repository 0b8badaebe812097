"""The comparison of two runs, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.report.formats.layout import print_table, style_text
from rosettabench.report.tables.table import NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.report.words.doubt import doubts_words
from rosettabench.report.words.enumeration import enumerate_words
from rosettabench.statistics.verdict import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from rosettabench.history.comparison import Compared, Comparison
    from rosettabench.history.identity import Change

COLUMNS = (
    Column("contender", contender=True),
    Column("before", numeric=True, spare=2),
    Column("after", numeric=True, spare=2),
    Column("after / before", numeric=True),
    Column("verdict"),
    Column("what changed", spare=1),
)

MOST = 6
"""The most changes of a contender that are shown. JSON has all of them."""


def print_comparison(found: Sequence[Comparison], console: Console) -> None:
    """Print every workload and setting that two runs share, and the changes of the machine."""
    for one in found:
        console.print()
        console.print(style_text((one.title, "bold"), (f"  {headline(one)}", "bold green")))
        print_table(comparison_table(one), console)
        for sentence in remarks(one):
            console.print(style_text((sentence, "dim")))


def headline(one: Comparison) -> str:
    """Return the answer in a sentence."""
    slower = [cell.key.contender for cell in one.cells if cell.regression]
    if slower:
        return f"Slower: {enumerate_words(slower)}."
    if all(cell.verdict.finding is Finding.OPEN for cell in one.cells):
        return "Nothing could be decided."
    return "Nothing is surely slower."


def comparison_table(one: Comparison) -> Table:
    """Return the table with a row for each cell."""
    rows = tuple(
        (
            TableCell(cell.key.contender),
            *(NOTHING if seconds is None else TableCell(figures.seconds(seconds)) for seconds in cell.seconds),
            ratio_cell(cell),
            TableCell(verdict_words(cell), marked=cell.regression),
            TableCell(change_words(cell.changes)),
        )
        for cell in one.cells
    )
    caption = "Seconds per step in each run; ratios are relative to contenders that stayed the same, if there are any."
    return Table(caption, COLUMNS, rows)


def ratio_cell(cell: Compared) -> TableCell:
    """Return the ratio with its interval."""
    found = cell.ratio
    return NOTHING if found is None else TableCell(figures.ratio(found.ratio), figures.span(found.low, found.high))


def verdict_words(cell: Compared) -> str:
    """Return the verdict on a cell."""
    verdict = cell.verdict
    if verdict.doubts:
        return f"no verdict. {doubts_words(verdict.doubts)}"
    if verdict.interval is None:
        return "not enough data (too few rounds)"
    if verdict.finding is Finding.FASTER:
        word = "slower" if cell.regression else "faster"
        return f"{word} by {figures.ratio(verdict.interval.ratio)} ({figures.interval_words(verdict.interval)})"
    if verdict.finding is Finding.EQUIVALENT:
        return f"no difference above {figures.percent(verdict.margin)}"
    return "not enough data"


def change_words(changes: Sequence[Change]) -> str:
    """Return the changes of a contender in words; only the first ones if there are many."""
    shown = [change.sentence for change in changes[:MOST]]
    more = len(changes) - len(shown)
    return "; ".join(shown + ([f"and {more} more"] if more else [])) or "nothing that was recorded"


def remarks(one: Comparison) -> list[str]:
    """Return the remarks on the table: the machine, the spread of processes, missing contenders."""
    said = []
    if one.machine:
        said.append(f"The machine changed: {change_words(one.machine)}.")
    if one.machine_change is not None:
        said.append(
            f"Contenders that stayed the same took {figures.ratio(one.machine_change)} their former time. The machine "
            "changed, and the ratios are corrected for that."
        )
    known = [cell for cell in one.cells if cell.degrees and cell.deviation is not None]
    if known:
        cell = min(known, key=lambda each: each.degrees)
        said.append(
            f"Equal processes differ by ±{figures.percent(cell.deviation or 0.0)} here "
            f"(at least {cell.degrees} degrees of freedom); the intervals include that."
        )
    if any(cell.verdict.finding is Finding.OPEN and not cell.verdict.doubts for cell in one.cells):
        said.append(
            "Runs with --processes 3 give narrower intervals: they measure the spread of processes and average over it."
        )
    if one.missing:
        said.append(f"Only in one of the two: {enumerate_words(one.missing)}.")
    return said
