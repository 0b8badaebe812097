"""The user's own workloads, folders anywhere: which contenders take part, and whether a folder is complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rosettabench.catalogue.contract import missing_in_cell
from rosettabench.catalogue.framework import FrameworkEntry, competing_frameworks
from rosettabench.catalogue.workload import Workload, find_workload, is_path
from rosettabench.errors import UsageError

MOST = 5
"""Missing things of a folder that one message lists."""


def absolute_path(workload: str) -> str:
    """Return a workload as a request names it: a folder by its absolute path, so that a run can be resumed anywhere."""
    return str(Path(workload).resolve()) if is_path(workload) else workload


def absolute_paths(workloads: Iterable[str]) -> tuple[str, ...]:
    """Return several workloads as a request names them."""
    return tuple(map(absolute_path, workloads))


def own_contenders(workloads: Sequence[str]) -> tuple[str, ...]:
    """Return the contenders of workloads that all are folders: every framework that one of them is written in.

    Of several back ends the first takes part; what runs exported models does only where it is named. Empty if a
    workload is the catalogue's; then the suite names contenders.
    """
    if not workloads or not all(map(is_path, workloads)):
        return ()
    found: dict[str, None] = {}
    for workload in map(find_workload, workloads):
        for entry in entries_of(workload):
            python = workload.environments.get(entry.implementation_name)
            found[entry.name if python is None else f"{entry.name}@{python}"] = None
    return tuple(found)


def entries_of(workload: Workload) -> list[FrameworkEntry]:
    """Return the frameworks of a folder's files, the original first, each on its first back end."""
    first: dict[str, FrameworkEntry] = {}
    for entry in competing_frameworks().values():
        if entry.does(workload) and entry.exported is None:
            first.setdefault(entry.implementation_name, entry)
    return sorted(first.values(), key=lambda entry: entry.implementation_name != workload.reference)


def check_own(workload: Workload) -> None:
    """Raise UsageError if a folder is incomplete. Only the frameworks that it has a file for are checked."""
    entries = entries_of(workload)
    if workload.reference is not None and workload.reference not in [entry.implementation_name for entry in entries]:
        raise UsageError(
            f"{workload.folder} lacks its original: workload.toml says that {workload.reference} is the reference",
            f"Write {workload.reference.replace('-', '_')}.py, or name another: reference = …",
        )
    if not entries:
        raise UsageError(f"{workload.folder} has no implementation", "Write one, pytorch.py say: rosetta new --help")
    sentences = [sentence for entry in entries for sentence in missing_in_cell(entry, workload)]
    if sentences:
        more = len(sentences) - MOST
        told = [*sentences[:MOST], *([f"and {more} more"] if more > 0 else [])]
        raise UsageError("; ".join(told), "docs/guide/port-a-model.md says what a folder holds.")
