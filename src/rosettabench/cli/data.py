"""``rosetta data``: prepare the workloads' data sets before a run, and check them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosettabench.cli.completion import complete_data_sets
from rosettabench.cli.options import DataDir
from rosettabench.errors import DataError

if TYPE_CHECKING:
    from rosettabench.data.prepared import Prepared
    from rosettabench.data.progress import DataProgress


def data(
    sets: Annotated[
        list[str] | None,
        typer.Argument(help="Data sets; without any, all.", autocompletion=complete_data_sets, show_default=False),
    ] = None,
    data_dir: DataDir = None,
    offline: Annotated[bool, typer.Option("--offline", help="Download nothing.")] = False,
) -> None:
    """Prepare data sets, and check them.

    Each is taken from the data folder, or else downloaded from its original source, or else replaced by a stand-in.
    Data that were prepared earlier are read and compared with their checksum.

    Example: rosetta data imdb --data-dir ~/datasets
    """
    from rosettabench.data.prepare import prepare
    from rosettabench.places import cache_dir

    for name, form in wanted_forms(sets):
        with show_progress(name) as progress:
            arguments: dict[str, Any] = {"data_dir": data_dir, "cache": cache_dir(), "offline": offline}
            prepared = prepare(name, form, progress=progress, **arguments)
            progress("checking every byte")
            if not prepared.is_intact():
                typer.echo(f"{prepared.folder} was damaged: it is prepared again.", err=True)
                prepared.discard()
                prepared = prepare(name, form, progress=progress, **arguments)
            if not prepared.is_intact():
                raise DataError(f"{prepared.folder} is damaged again and again", "Check that disk.")
        typer.echo(describe_prepared(prepared, form))


def wanted_forms(sets: list[str] | None) -> list[tuple[str, dict[str, Any]]]:
    """Return (data set, form) for each form that a workload uses, of the named data sets or of all."""
    from rosettabench.catalogue.names import nearest
    from rosettabench.catalogue.workload import all_workloads

    entries = [workload.data for workload in all_workloads().values()]
    known = {entry.set for entry in entries}
    chosen = {nearest("data set", name, known) for name in sets} if sets else known
    forms = {(entry.set, repr(entry.form)): entry.form for entry in entries if entry.set in chosen}
    return [(name, form) for (name, _), form in forms.items()]


def describe_prepared(prepared: Prepared, form: dict[str, Any]) -> str:
    """Return a text on a prepared data set: what it is, where it came from, and where it is stored."""
    words = ", ".join(f"{key} {value}" for key, value in form.items())
    return (
        f"{prepared.name} ({words}): {prepared.note}\n"
        f"  {prepared.train.samples:,} training and {prepared.test.samples:,} test samples, "
        f"sha256 {prepared.digest[:12]}, in {prepared.folder}"
    )


@contextmanager
def show_progress(name: str) -> Iterator[DataProgress]:
    """Show progress on standard error within the context, if that is a terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bars

    terminal = Console(stderr=True)
    with Bars(console=terminal, transient=True, disable=not terminal.is_terminal) as bars:
        task = bars.add_task(name, total=None)

        def progress(message: str, done: int | None = None, total: int | None = None) -> None:
            """Show the progress of the preparation."""
            bars.update(task, description=escape(f"{name}: {message}"), completed=done or 0, total=total)

        yield progress
