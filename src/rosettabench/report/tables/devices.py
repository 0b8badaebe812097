"""Several devices beside one: speed-up, efficiency, and the share of the exchange."""

from __future__ import annotations

from rosettabench.report.tables.table import CONTENDER, Column, Table, TableCell, estimate_cell
from rosettabench.report.words import figures
from rosettabench.summary.records import RunSummary
from rosettabench.summary.speed_up import speed_ups


def devices_table(summary: RunSummary) -> Table:
    """Return speed-up and exchange of each contender on several devices; empty if a run has none."""
    caption = (
        "Speed-up: the time per step on one device over that on several, with equal threads on each device. Efficiency "
        "is the speed-up of each device. The contests were measured one after the other, and the intervals include the "
        "spread between processes. Exchange: the share of a step that it takes to average gradients between devices, "
        "against devices of which each trains alone on its part. What is hidden behind the computation does not count."
    )
    columns = (
        Column("contest"),
        CONTENDER,
        Column("devices", numeric=True),
        Column("speed-up", numeric=True),
        Column("efficiency", numeric=True),
        Column("exchange", numeric=True),
    )
    rows = tuple(
        (
            TableCell(one.contest),
            TableCell(one.label),
            TableCell(str(one.devices)),
            estimate_cell(one.factor, figures.ratio),
            estimate_cell(one.efficiency, figures.percent, lambda _, low, high: percents(low, high)),
            estimate_cell(one.exchange, figures.percent, lambda _, low, high: percents(low, high)),
        )
        for one in speed_ups(summary.contests)
    )
    return Table(caption, columns, rows)


def percents(low: float, high: float) -> str:
    """Return an interval of shares in words."""
    return f"{figures.percent(low)} to {figures.percent(high)}"
