"""The error rates of calibration contests as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosettabench.report.formats.layout import print_table
from rosettabench.report.tables.table import Column, listing
from rosettabench.report.words import figures
from rosettabench.statistics.calibration import Calibration, KnownContest, Rate, calibrate

if TYPE_CHECKING:
    from rich.console import Console


def print_calibration(found: Sequence[KnownContest], console: Console) -> None:
    """Print the error rates of contests between equal copies, and of those with planted work."""
    numbers = ("difference told", "right one found", "interval holds the truth", "spread", "rounds")
    columns = (Column("contests"), *(Column(heading, numeric=True) for heading in numbers))
    rows = []
    for truth in sorted({one.truth for one in found}):
        result = calibrate([one for one in found if one.truth == truth])
        if result is not None:
            rows.append((kind(truth, result), *cells(result, truth)))
    print_table(listing("", columns, rows), console)


def kind(truth: float, result: Calibration) -> str:
    """Return the kind of contests in words: between equal copies, or with a share of planted work."""
    what = "equals (A/A)" if truth == 1 else f"{figures.percent(truth - 1)} more work planted"
    return f"{result.differs.of} × {what}"


def cells(result: Calibration, truth: float) -> tuple[str, ...]:
    """Return the rates in words. Between equal copies there is nothing to detect."""
    spread = figures.MISSING if result.spread is None else f"± {figures.percent(result.spread)}"
    found = figures.MISSING if truth == 1 else words(result.found)
    return words(result.differs), found, words(result.covered), spread, figures.significant(result.rounds)


def words(rate: Rate) -> str:
    """Return a rate in words: ``1 of 30, 3% (0% to 17%)``."""
    return f"{rate.happened} of {rate.of}, {rate.share:.0%} ({rate.low:.0%} to {rate.high:.0%})"
