"""``rosetta store``: describe, merge and copy stores of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.options import StoreUrl, not_empty
from rosettabench.errors import UsageError

if TYPE_CHECKING:
    from rosettabench.store.merge import MergedRun
    from rosettabench.store.store import Store

app = typer.Typer(
    name="store",
    no_args_is_help=True,
    help="Describe, merge and copy stores of results.\n\nSQLite files and PostgreSQL databases, in any mixture.\n\n"
    "Example: rosetta store merge laptop.sqlite server.sqlite --into all.sqlite",
)

Source = Annotated[str, typer.Argument(metavar="FROM", help="A store: a URL, or a file.")]
Sources = Annotated[list[str], typer.Argument(metavar="STORE…", help="Stores: URLs, or files.", show_default=False)]
Target = Annotated[str, typer.Argument(metavar="TO", help="The new store: a URL, or a file.")]
Into = Annotated[
    str | None,
    typer.Option(
        "--into",
        help="The store that takes all runs; by default yours.",
        envvar="ROSETTA_STORE",
        callback=not_empty,
    ),
]


@app.command()
def info(store: StoreUrl = None) -> None:
    """Describe a store: its database, its size, and what it holds. No password is shown.

    Example: rosetta store info
    """
    from rosettabench.places import store_url
    from rosettabench.store.info import describe
    from rosettabench.store.store import Store

    found = describe(Store.existing(store or store_url()))
    typer.echo(found.name)
    typer.echo(f"{found.database}, schema {found.schema}, {found.size_bytes / 1e6:,.1f} MB")
    typer.echo(", ".join(f"{count:,} {table}" for table, count in found.rows.items()))
    if found.first_run and found.last_run:
        typer.echo(f"First run {found.first_run[:19]}, last run {found.last_run[:19]} (UTC)")


@app.command()
def merge(stores: Sources, into: Into = None) -> None:
    """Add all runs and certificates of some stores to another one. Its rows get new ids; the sources stay as they are.

    A run that is there already is left out. A run that is there up to a point is continued. A run at which a process
    is at work is left out, and named. If a run is there with another content, nothing at all is merged.

    Example: rosetta store merge laptop.sqlite server.sqlite --into all.sqlite

    Example: rosetta store merge results.sqlite --into postgresql://me@host/results
    """
    from rosettabench.places import store_url
    from rosettabench.store.merge import refuse_same
    from rosettabench.store.store import Store

    url = into or store_url()
    refuse_same(stores, url)
    sources = [Store.existing(one) for one in stores]
    merge_and_tell(sources, Store(url))


@app.command()
def copy(source: Source, target: Target) -> None:
    """Copy a store into a new one, or into an empty database.

    Example: rosetta store copy results.sqlite postgresql://me@host/results
    """
    from rosettabench.store.merge import refuse_same
    from rosettabench.store.store import Store

    refuse_same([source], target)
    opened, new = Store.existing(source), Store(target)
    if new.runs():
        raise UsageError(f"{new.name} has runs already", "Merge instead: rosetta store merge FROM --into TO")
    merge_and_tell([opened], new)


def merge_and_tell(sources: Sequence[Store], target: Store) -> None:
    """Merge stores and print what was done."""
    from rosettabench.lab.owner import owner_of
    from rosettabench.places import cache_dir
    from rosettabench.store.merge import Merged
    from rosettabench.store.merge import merge as merge_all

    cache = cache_dir()
    done = merge_all(sources, target, lambda store, run: store.owner(run) or owner_of(run, cache))
    for one in done:
        if one.how is Merged.BUSY:
            typer.echo(f"run {one.run} of {one.source} is left out: {one.owner} is at work on it", err=True)
    typer.echo(f"{target.name}: {summary(done)}")


def summary(done: Sequence[MergedRun]) -> str:
    """Return in words what a merge did with the runs."""
    counts = Counter(one.how for one in done)
    parts = [f"{count} {how}" for how, count in counts.items()]
    return f"{len(done)} {'run' if len(done) == 1 else 'runs'}{': ' if parts else ''}{', '.join(parts)}"
