"""Where tables go: a terminal, as wide as it is, or a pipe, where a row is a line however long it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPE_WIDTH = 1000
"""Columns of a pipe: more than any row has."""


def console() -> Console:
    """Return the console of standard output, which takes text as it is: ``keras[tensorflow]`` is no markup."""
    from rich.console import Console

    return Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def table(title: str, *headings: str) -> Table:
    """Return an empty table, whose first column is never broken: it holds what one types."""
    from rich import box
    from rich.table import Table

    new = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        new.add_column(heading, no_wrap=number == 0, overflow="fold")
    return new
