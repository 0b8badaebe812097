"""The shares of all cells: a row for each workload, a column for each framework, with the share of each mode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rosettabench.report.tables.table import Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.summary.reached_share import ReachedShare


def shares_table(shares: Sequence[ReachedShare], threads: int, frameworks: Sequence[str]) -> Table:
    """Return the table of the shares for `threads` threads; `frameworks` are the columns, in their order."""
    own = [one for one in shares if one.threads == threads]
    cells: dict[tuple[str, str], list[ReachedShare]] = defaultdict(list)
    for one in own:
        cells[one.workload, one.framework].append(one)
    shown = [name for name in frameworks if any(one.framework == name for one in own)]
    return Table(
        f"Share of the machine's ceiling in matrix products of the same precision, with {threads} "
        f"{'thread' if threads == 1 else 'threads'}; beside it the 95% interval of the step's time, and the batch size "
        "where it is not the workload's own.",
        (Column("workload"), *(Column(name) for name in shown)),
        tuple(
            (TableCell(workload), *(shares_cell(cells[workload, name]) for name in shown))
            for workload in dict.fromkeys(one.workload for one in own)
        ),
    )


def shares_cell(modes: Sequence[ReachedShare]) -> TableCell:
    """Return the shares of a framework's modes in one workload."""
    return TableCell("; ".join(f"{one.mode} {words(one)}" for one in modes)) if modes else TableCell(figures.MISSING)


def words(reached: ReachedShare) -> str:
    """Return a share in percent, with its interval and a different batch size: ``23% (21 to 25), batch 8``."""
    share = reached.share
    told = figures.percent(share.value)
    if share.low is not None and share.high is not None:
        told = f"{told} ({figures.span(100 * share.low, 100 * share.high)})"
    return told if reached.batch_size is None else f"{told}, batch {reached.batch_size}"
