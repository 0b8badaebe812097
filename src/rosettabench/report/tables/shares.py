"""The shares of all cells: a row for each workload, a column for each framework, with the share of each mode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rosettabench.plan.setting import with_defaults
from rosettabench.report.tables.table import Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary, EntrySummary, RunSummary

THREADS = "threads"
"""The axis that determines the ceiling. Shares for different numbers of threads are in separate tables."""

BATCH_SIZE = "batch_size"
"""The axis that may differ from the workload's statement if the machine is too small. The table then says so."""


@dataclass(frozen=True)
class ReachedShare:
    """The share of the ceiling in the latest measurement of a cell.

    `batch_size` is None if it is the workload's own.
    """

    workload: str
    framework: str
    mode: str
    threads: int
    share: Estimate
    batch_size: int | None = None


def newest_shares(runs: Iterable[RunSummary], canonical: Mapping[str, Mapping[str, Any]]) -> list[ReachedShare]:
    """Return the newest share of every cell; `runs` start with the newest.

    Only proven entries count, in the setting that the workload states (`canonical`, by workload) except the number of
    threads, and only if the ceiling in that setting is known. A share at another batch size counts if there is none at
    the workload's own.
    """
    found: dict[tuple[str, str, str, int], ReachedShare] = {}
    for contest in (contest for run in runs for contest in run.contests):
        elsewhere = differing_axes(contest, canonical) - {THREADS}
        if not elsewhere <= {BATCH_SIZE}:
            continue
        batch_size = contest.setting[BATCH_SIZE] if elsewhere else None
        for entry in contest.entries:
            if (share := counted_share(entry)) is not None:
                threads = contest.setting[THREADS]
                one = ReachedShare(contest.workload, entry.framework, entry.mode, threads, share, batch_size)
                key = one.workload, one.framework, one.mode, one.threads
                if key not in found or (found[key].batch_size is not None and batch_size is None):
                    found[key] = one
    return list(found.values())


def differing_axes(contest: ContestSummary, canonical: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return the axes on which a contest differs from its workload's setting; all axes if the workload is unknown."""
    own = with_defaults(contest.setting)
    stated = canonical.get(contest.workload)
    return set(own) if stated is None else {axis for axis, value in stated.items() if own.get(axis) != value}


def counted_share(entry: EntrySummary) -> Estimate | None:
    """Return the share of an entry that counts: it is proven and not a control's copy."""
    return entry.share if entry.proof.holds and entry.control_of is None else None


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
