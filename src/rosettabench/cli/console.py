"""Where tables go: a terminal, as wide as it is, or a pipe, where a row is a line however long it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Return the console of standard output, which takes text as it is: ``keras[tensorflow]`` is no markup."""
    from rich.console import Console

    from rosettabench.report.formats.layout import PIPE_WIDTH

    return Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
