"""The console for tables: as wide as the terminal; in a pipe, with one line for each row."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Return the console of standard output. It prints texts literally: ``keras[tensorflow]`` is not markup."""
    from rich.console import Console

    from rosettabench.report.formats.layout import PIPE_WIDTH

    return Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
