"""``rosetta list``: the contents of the catalogue, and what is installed here."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_kind
from rosettabench.cli.console import console
from rosettabench.cli.options import StoreUrl
from rosettabench.cli.stored import stored_runs

if TYPE_CHECKING:
    from rosettabench.report.tables.table import Table


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
    from rosettabench.report.formats.layout import print_table

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
        out.print(name.capitalize(), style="bold")
        print_table(rows, out)
        if not rows.rows:
            out.print("There is none yet.")
    if {"frameworks", "environments"} & {*wanted}:
        out.print("What is not installed is installed when a run asks for it, or with: rosetta env make NAME")


def workloads() -> Table:
    """Return the table of all workloads, with the number of frameworks that implement each."""
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.report.tables.table import Column, listing

    columns = (
        Column("name"),
        Column("what it is"),
        Column("parameters", numeric=True),
        Column("frameworks", numeric=True),
    )
    rows = [
        (
            name,
            workload.title,
            f"{workload.parameters:,}",
            str(sum(one.does(workload) for one in competing_frameworks().values())),
        )
        for name, workload in all_workloads().items()
    ]
    return listing("rosetta matrix shows which frameworks; rosetta show WORKLOAD, how they do it.", columns, rows)


def frameworks() -> Table:
    """Return the table of all competing frameworks, with their modes, and whether an environment is made."""
    from rosettabench.catalogue.contender import modes_of
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.report.tables.table import listing, plain_columns

    made = made_locks()
    rows = []
    for name, entry in competing_frameworks().items():
        modes = ", ".join(f"{mode}*" if mode == entry.mode else mode for mode in modes_of(entry))
        rows.append((name, entry.title, modes, "yes" if entry.locks[0] in made else "no"))
    return listing("* marks the default mode.", plain_columns("name", "what it is", "modes", "installed"), rows)


def suites() -> Table:
    """Return the table of all suites, with their contents."""
    from rosettabench.catalogue.suite import all_suites
    from rosettabench.report.tables.table import listing, plain_columns

    rows = [
        (name, suite.title, ", ".join(suite.workloads), ", ".join(suite.contenders))
        for name, suite in all_suites().items()
    ]
    return listing("", plain_columns("name", "what it is", "workloads", "contenders"), rows)


def environments() -> Table:
    """Return the table of all locked environments, and whether each is made; ``rosetta env list`` has more details."""
    from rosettabench.environments.lock import all_locks
    from rosettabench.report.tables.table import listing, plain_columns

    made = made_locks()
    rows = [(lock.name, lock.title, lock.python, "yes" if lock.name in made else "no") for lock in all_locks()]
    return listing("", plain_columns("name", "holds", "Python", "installed"), rows)


def made_locks() -> set[str]:
    """Return the names of the locks whose environments are made on this machine."""
    from rosettabench.environments.environment import Environments
    from rosettabench.environments.lock import all_locks
    from rosettabench.places import cache_dir

    here = Environments(cache_dir() / "environments")
    return {lock.name for lock in all_locks() if here.find(lock)}


def runs(store: str | None) -> Table:
    """Return the table of all runs in a store, newest first. A missing store has none, and is not created."""
    from rosettabench.report.tables.table import listing, plain_columns

    rows = [(run.id, f"{run.at[:10]} {run.at[11:16]}", shlex.join(run.command)) for run in stored_runs(store)]
    return listing("", plain_columns("id", "at (UTC)", "command"), rows)
