"""The shares of all cells: a row for each workload, a column for each framework, in each mode what it reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rosettabench.plan.setting import whole
from rosettabench.report import figures
from rosettabench.report.summary import ContestSummary, EntrySummary, Estimate, RunSummary
from rosettabench.report.tables import Cell, Column, Table

THREADS = "threads"
"""The axis on which a machine's ceiling depends: shares of different numbers of threads never share a table."""


@dataclass(frozen=True)
class Reached:
    """The share of the machine's ceiling that a cell reached, when it was measured last."""

    workload: str
    framework: str
    mode: str
    threads: int
    share: Estimate


def reached(runs: Iterable[RunSummary], canonical: Mapping[str, Mapping[str, Any]]) -> list[Reached]:
    """Return the newest share of every cell; `runs` are the newest first.

    Counted are proven entries, under the setting that the workload states (`canonical`, by workload) but for the
    number of threads, where the machine's ceiling in that setting is known.
    """
    found: dict[tuple[str, str, str, int], Reached] = {}
    for contest in (contest for run in runs for contest in run.contests):
        if not is_canonical(contest, canonical):
            continue
        for entry in contest.entries:
            if (share := counted(entry)) is not None:
                one = Reached(contest.workload, entry.framework, entry.mode, contest.setting[THREADS], share)
                found.setdefault((one.workload, one.framework, one.mode, one.threads), one)
    return list(found.values())


def is_canonical(contest: ContestSummary, canonical: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a contest had the setting that its workload states, whatever its threads."""
    stated = canonical.get(contest.workload)
    own = whole(contest.setting)
    return stated is not None and all(own.get(axis) == value for axis, value in stated.items() if axis != THREADS)


def counted(entry: EntrySummary) -> Estimate | None:
    """Return the share of an entry that counts: proven, and in no control."""
    return entry.share if entry.proof.holds and entry.control_of is None else None


def shares_table(shares: Sequence[Reached], threads: int, frameworks: Sequence[str]) -> Table:
    """Return the table of the shares with so many threads; `frameworks` are the columns, in their order."""
    own = [one for one in shares if one.threads == threads]
    cells: dict[tuple[str, str], list[Reached]] = defaultdict(list)
    for one in own:
        cells[one.workload, one.framework].append(one)
    shown = [name for name in frameworks if any(one.framework == name for one in own)]
    return Table(
        f"Share of the machine's ceiling in matrix products of the same precision, with {threads} "
        f"{'thread' if threads == 1 else 'threads'}; beside it the 95% interval of the step's time.",
        (Column("workload"), *(Column(name) for name in shown)),
        tuple(
            (Cell(workload), *(shares_cell(cells[workload, name]) for name in shown))
            for workload in dict.fromkeys(one.workload for one in own)
        ),
    )


def shares_cell(modes: Sequence[Reached]) -> Cell:
    """Return the shares of a framework's modes in one workload."""
    return Cell(", ".join(f"{one.mode} {words(one.share)}" for one in modes)) if modes else Cell(figures.MISSING)


def words(share: Estimate) -> str:
    """Return a share in percent with its interval, where there is one: ``23% (21 to 25)``."""
    if share.low is None or share.high is None:
        return figures.percent(share.value)
    return f"{figures.percent(share.value)} ({figures.span(100 * share.low, 100 * share.high)})"
