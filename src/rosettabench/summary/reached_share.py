"""The newest share of the ceiling that each cell has reached, over many runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rosettabench.plan.setting import with_defaults
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
