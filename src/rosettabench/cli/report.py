"""``rosetta report``: make the report of a run again, from the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.options import StoreUrl
from rosettabench.cli.page import STDOUT, write
from rosettabench.errors import UsageError
from rosettabench.report.formats.form import Format, render

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


def report(
    run: Annotated[
        str | None, typer.Argument(help="The run's id, or its beginning; by default the newest run that measured.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="The format of the report.")] = Format.HTML,
    output: Annotated[
        Path | None,
        typer.Option(help="Where to write it; - is standard output. Default: ./rosetta-report-<run>.<format>"),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Make the report of a run again, from the store.

    Example: rosetta report --format markdown --output -
    """
    from rosettabench.ceilings.ceiling import measured_here
    from rosettabench.places import store_url
    from rosettabench.published.summary import summarise_whole
    from rosettabench.report.formats.html import file_stem
    from rosettabench.store.store import Store

    kept = Store.existing(store or store_url())
    found = kept.run(run or kept.newest_measured())
    summary = summarise_whole(found, measured_here(kept, found.machine))
    if form is Format.TERMINAL:
        show(summary, output)
        return
    path = output or Path(f"{file_stem(summary)}.{form.suffix}")
    write(render(summary, form), path)
    if path != STDOUT:
        typer.echo(path)


def show(summary: RunSummary, output: Path | None) -> None:
    """Print the report in the terminal."""
    from rosettabench.cli.console import console
    from rosettabench.report.formats.terminal import print_details

    if output is not None:
        raise UsageError("--format terminal prints, and --output names a file", hint="Leave one of the two out.")
    print_details(summary, console())
