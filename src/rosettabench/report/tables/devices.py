"""Several devices beside one: speed-up, efficiency, and the share of the exchange."""

from __future__ import annotations

from collections.abc import Callable

from rosettabench.report.tables.table import CONTENDER, Column, Span, Table, TableCell, estimate_cell
from rosettabench.report.words import figures
from rosettabench.statistics.busy import MOST_LOAD, Busy
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import RunSummary
from rosettabench.summary.speed_up import speed_ups


def devices_table(summary: RunSummary) -> Table:
    """Return speed-up and exchange of each contender on several devices; empty if a run has none."""
    caption = (
        "Speed-up: the time per step on one device over that on several, with equal threads on each device. Efficiency "
        "is the speed-up of each device. The contests were measured one after the other, and the intervals include the "
        "spread between processes. Exchange: the share of a step that it takes to average gradients between devices, "
        "against devices of which each trains alone on its part. What is hidden behind the computation does not count. "
        f"A figure is missing where other programs and the hypervisor used more than {figures.percent(MOST_LOAD)} of "
        "the processors' time."
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
            quiet_cell(one.factor, figures.ratio),
            quiet_cell(one.efficiency, figures.percent, lambda _, low, high: percents(low, high)),
            quiet_cell(one.exchange, figures.percent, lambda _, low, high: percents(low, high)),
        )
        for one in speed_ups(summary.contests)
    )
    return Table(caption, columns, rows)


def quiet_cell(
    measured: Estimate | Busy | None,
    written: Callable[[float], str],
    interval: Span = lambda _, low, high: figures.span(low, high),
) -> TableCell:
    """Return an estimate with its interval; the load of the machine if that forbids an estimate."""
    if isinstance(measured, Busy):
        return TableCell(figures.MISSING, f"{figures.percent(measured.others + measured.stolen)} load by others")
    return estimate_cell(measured, written, interval)


def percents(low: float, high: float) -> str:
    """Return an interval of shares in words."""
    return f"{figures.percent(low)} to {figures.percent(high)}"
