"""``rosetta list``: what there is, and what of it is installed here."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_kind
from rosettabench.cli.console import console, table
from rosettabench.cli.options import StoreUrl
from rosettabench.cli.stored import stored_runs

if TYPE_CHECKING:
    from rich.table import Table


def list_catalogue(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="workloads, frameworks, suites, environments or runs; without it, all but runs.",
            autocompletion=complete_kind,
            show_default=False,
        ),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """List what there is and what is installed.

    Example: rosetta list frameworks
    """
    from rosettabench.catalogue.names import nearest

    kinds: dict[str, Callable[[], Table]] = {
        "workloads": workloads,
        "frameworks": frameworks,
        "suites": suites,
        "environments": environments,
        "runs": lambda: runs(store),
    }
    wanted = [nearest("list of", kind, kinds)] if kind is not None else [name for name in kinds if name != "runs"]
    out = console()
    for name in wanted:
        rows = kinds[name]()
        out.print(rows)
        if not rows.row_count:
            out.print("There is none yet.")
    if {"frameworks", "environments"} & {*wanted}:
        out.print("What is not installed is installed when a run asks for it, or with: rosetta env make NAME")


def workloads() -> Table:
    """Return all workloads, and the frameworks that implement each."""
    from rosettabench.catalogue.framework import contestants
    from rosettabench.catalogue.workload import all_workloads

    rows = table("Workloads", "name", "what it is", "data", "parameters", "implemented in")
    for name, workload in all_workloads().items():
        able = [entry.name for entry in contestants().values() if entry.does(workload)]
        rows.add_row(name, workload.title, workload.data.set, f"{workload.parameters:,}", ", ".join(able))
    return rows


def frameworks() -> Table:
    """Return all frameworks that can be entered in a contest, their modes, and whether an environment is made."""
    from rosettabench.catalogue.contender import modes_of
    from rosettabench.catalogue.framework import contestants

    made = made_locks()
    rows = table("Frameworks", "name", "what it is", "modes", "environments", "installed")
    for name, entry in contestants().items():
        modes = ", ".join(f"{mode} (default)" if mode == entry.mode else mode for mode in modes_of(entry))
        rows.add_row(name, entry.title, modes, ", ".join(entry.locks), "yes" if entry.locks[0] in made else "no")
    return rows


def suites() -> Table:
    """Return all suites and what each asks for."""
    from rosettabench.catalogue.suite import all_suites

    rows = table("Suites", "name", "what it is", "workloads", "contenders")
    for name, suite in all_suites().items():
        rows.add_row(name, suite.title, ", ".join(suite.workloads), ", ".join(suite.contenders))
    return rows


def environments() -> Table:
    """Return all locked environments and whether each is made; ``rosetta env list`` tells more."""
    from rosettabench.environments.lock import all_locks

    made = made_locks()
    rows = table("Environments", "name", "holds", "Python", "installed")
    for lock in all_locks():
        rows.add_row(lock.name, lock.title, lock.python, "yes" if lock.name in made else "no")
    return rows


def made_locks() -> set[str]:
    """Return the names of the locks whose environments are made on this machine."""
    from rosettabench.environments.environment import Environments
    from rosettabench.environments.lock import all_locks
    from rosettabench.places import cache_dir

    here = Environments(cache_dir() / "environments")
    return {lock.name for lock in all_locks() if here.find(lock)}


def runs(store: str | None) -> Table:
    """Return all runs in a store, newest first; a store that does not exist yet has none, and is not made."""
    rows = table("Runs", "id", "at", "command")
    for run in stored_runs(store):
        rows.add_row(run.id, run.at, shlex.join(run.command))
    return rows
