"""``rosetta report``: make the report of a run again, from the store."""

from __future__ import annotations

import errno
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.run import StoreUrl
from rosettabench.errors import RosettaError, UsageError
from rosettabench.files import replace_file

if TYPE_CHECKING:
    from rosettabench.report.summary import RunSummary

STDOUT = Path("-")
"""As --output: write to standard output."""

NO_FAULT_OF_THE_NAME = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the system answers where a place is right, and writing fails nevertheless."""


class Format(StrEnum):
    """The forms of a report."""

    HTML = "html"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    PNG = "png"
    TERMINAL = "terminal"

    @property
    def suffix(self) -> str:
        """The ending of its file's name."""
        return "md" if self is Format.MARKDOWN else self.value


def report(
    run: Annotated[
        str | None, typer.Argument(help="Id of the run, or the beginning of it; else the newest that measured.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to make.")] = Format.HTML,
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
    from rosettabench.report.html import file_stem
    from rosettabench.report.run import summarise
    from rosettabench.store.store import Store

    kept = Store.existing(store or store_url())
    found = kept.run(run or kept.newest_measured())
    summary = summarise(found, measured_here(kept, found.machine))
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
    from rosettabench.report.terminal import print_run

    if output is not None:
        raise UsageError("--format terminal prints, and --output names a file", hint="Leave one of the two out.")
    print_run(summary, console())


def render(summary: RunSummary, form: Format) -> bytes:
    """Return the report in one of the forms of a file; text is UTF-8."""
    if form is Format.PNG:
        from rosettabench.report.image import render_image

        return render_image(summary)
    return render_text(summary, form).encode()


def render_text(summary: RunSummary, form: Format) -> str:
    """Return the report in one of the forms of a text file."""
    if form is Format.MARKDOWN:
        from rosettabench.report.markdown import render_markdown

        return render_markdown(summary)
    if form is Format.CSV:
        from rosettabench.report.training_tables import render_raw

        return render_raw(summary)
    if form is Format.JSON:
        from rosettabench.report.record import render_json

        return render_json(summary)
    from rosettabench.report.html import render_html

    return render_html(summary)


def write(content: bytes, path: Path, option: str = "--output") -> None:
    """Write a report to `path`, which `option` names, or to standard output.

    Raises UsageError where the place is no good, and RosettaError where it has no room or fails. What was there stays
    until all of the new report is on disk.
    """
    if path == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe, say
            path.write_bytes(content)
        else:
            replace_file(path, content)
    except OSError as error:
        what = f"the report cannot be written to {path}: {error.strerror}"
        if error.errno in NO_FAULT_OF_THE_NAME:
            raise RosettaError(what, f"Free some space there, or name another place with {option}.") from error
        raise UsageError(what, f"Name another place with {option}.") from error
