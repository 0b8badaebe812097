"""Tables as text: side by side if the columns fit, otherwise as records; in a pipe, one line for each row.

Words are never broken, so that names and paths can be copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from rosettabench.report.formats.text import visible
from rosettabench.report.tables.table import Table, TableCell

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.text import Text

PIPE_WIDTH = 1000
"""Characters per line in a pipe: more than any row needs."""

GAP = 3
"""Blanks that a column needs beside its text."""

READABLE = 24
"""The narrowest column, in characters, for a readable sentence. Shorter texts are not wrapped."""


def print_table(table: Table, console: Console) -> None:
    """Print a table with the columns that fit. Intervals are below their estimates."""
    if console.width >= PIPE_WIDTH:
        print_lines(table, console)
        return
    kept = columns_that_fit(table, console.width)
    widths = column_widths(table, kept, console.width)
    if widths is None:
        print_records(table, console)
    else:
        print_columns(table, kept, widths, console)
    left_out = [column.title for place, column in enumerate(table.columns) if place not in kept]
    more = (
        f" Not enough room for: {', '.join(left_out)}; a wider terminal, or a pipe, shows them."
        if left_out and widths
        else ""
    )
    if table.caption or more:
        console.print(style_text((table.caption + more, "dim")))


def print_columns(table: Table, kept: Sequence[int], widths: Sequence[int], console: Console) -> None:
    """Print the columns at the places `kept` of a table side by side."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable

    printed = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    for place, width in zip(kept, widths, strict=True):
        justify: JustifyMethod = "right" if table.columns[place].numeric else "left"
        printed.add_column(style_text((table.columns[place].title, "")), justify=justify, overflow="fold", width=width)
    for row in table.rows:
        printed.add_row(*(cell_text(row[place]) for place in kept))
    console.print(printed)


def print_records(table: Table, console: Console) -> None:
    """Print each row as its first cell, followed by a line for each other cell with content."""
    room = max(len(column.title) for column in table.columns[1:]) + 2
    for row in table.rows:
        console.print()
        console.print(style_text((inline(row[0]), "bold")), soft_wrap=True)
        for column, cell in zip(table.columns[1:], row[1:], strict=True):
            words = wrap(inline(cell), max(READABLE, console.width - room - 2), break_long_words=False)
            for title, line in zip([column.title, *[""] * len(words)], words, strict=False):
                marked = "yellow" if cell.marked else ""
                console.print(style_text((f"  {title.ljust(room)}", "dim"), (line, marked)), soft_wrap=True)


def print_lines(table: Table, console: Console) -> None:
    """Print each row as one line of any length, for programs that read lines."""
    rows = [[column.title for column in table.columns], *([inline(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    for row in rows:
        words = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        console.print(style_text((words, "")), soft_wrap=True)
    if table.caption:
        console.print(style_text((table.caption, "")), soft_wrap=True)


def columns_that_fit(table: Table, width: int) -> list[int]:
    """Return the places of the columns that fit into `width` characters; spare columns are left out first."""
    kept = list(range(len(table.columns)))
    spare = sorted((place for place in kept if table.columns[place].spare), key=lambda i: table.columns[i].spare)
    while spare and column_widths(table, kept, width) is None:
        kept.remove(spare.pop())
    return kept


def column_widths(table: Table, kept: Sequence[int], width: int) -> list[int] | None:
    """Return the widths, in characters, of the columns at `kept`; None if they do not fit into `width`.

    Each is at least as wide as its longest word. Columns of sentences share the rest.
    """
    widths = [least_width(table, place) for place in kept]
    left = width - sum(widths) - GAP * len(widths)
    if left < 0:
        return None
    wanted = [natural_width(table, place) - taken for place, taken in zip(kept, widths, strict=True)]
    for number in sorted(range(len(kept)), key=lambda place: wanted[place]):
        waiting = sum(wanted[other] >= wanted[number] > 0 for other in range(len(kept)))
        more = min(wanted[number], left // waiting) if waiting else 0
        widths[number] += more
        left -= more
        wanted[number] = 0
    return widths


def least_width(table: Table, place: int) -> int:
    """Return the least width of a column, in characters."""
    words = [word for line in lines_of(table, place) for word in line.split()]
    longest = max(map(len, [*words, *table.columns[place].title.split()]), default=1)
    return max(longest, min(natural_width(table, place), READABLE))


def natural_width(table: Table, place: int) -> int:
    """Return the width of a column without wrapped cells, in characters. Its heading may be wrapped."""
    heading = max(map(len, table.columns[place].title.split()), default=1)
    return max([heading, *map(len, lines_of(table, place))])


def lines_of(table: Table, place: int) -> list[str]:
    """Return the lines in the cells of a column."""
    return [line for row in table.rows for line in (row[place].text, row[place].note)]


def inline(cell: TableCell) -> str:
    """Return a cell on one line, with its note in brackets."""
    return f"{cell.text} ({cell.note})" if cell.note else cell.text


def cell_text(cell: TableCell) -> Text:
    """Return a cell with its note on a separate line."""
    text = style_text((cell.text, "yellow" if cell.marked else ""))
    if cell.note:
        text.append("\n").append_text(style_text((cell.note, "dim")))
    return text


def style_text(*parts: tuple[str, str]) -> Text:
    """Return (text, style) pairs as rich's Text, without interpreting markup and without control characters."""
    from rich.text import Text

    text = Text()
    for words, style in parts:
        text.append(visible(words), style=style)
    return text
