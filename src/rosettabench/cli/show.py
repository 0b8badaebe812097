"""``rosetta show``: the implementations of a workload side by side, definition by definition."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.catalogue.alignment import align_definitions
from rosettabench.catalogue.implementation import Implementation, implementations
from rosettabench.cli.completion import complete_frameworks, complete_workloads
from rosettabench.cli.console import console
from rosettabench.cli.options import DataDir, Offline
from rosettabench.cli.page import STDOUT, write
from rosettabench.errors import UsageError
from rosettabench.report.formats.side_by_side import Section, SideBySide

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from rosettabench.catalogue.workload import Workload

NARROWEST = 56
"""The least width in characters of a column of code: in a narrower one, most lines would be wrapped."""

Columns = dict[str, Implementation]
"""{label: the implementation in its column}."""


class ShownAs(StrEnum):
    """The formats in which implementations are shown."""

    TERMINAL = "terminal"
    TEXT = "text"
    HTML = "html"
    IPYNB = "ipynb"


def show(
    workload: Annotated[str, typer.Argument(help="The workload.", autocompletion=complete_workloads)],
    frameworks: Annotated[
        list[str] | None,
        typer.Option(
            "--frameworks",
            "-f",
            help="Frameworks, separated by commas; without it, all that implement the workload.",
            autocompletion=complete_frameworks,
            show_default=False,
        ),
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Show the training steps of the adapters, too.")] = False,
    form: Annotated[
        ShownAs | None,
        typer.Option(
            "--format", help="The terminal (plain text in a pipe), an HTML page, or notebooks.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="File to write; of notebooks also the folder. Default: ./WORKLOAD.html, ./WORKLOAD-….ipynb"),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain text, one below the other; the default in a pipe.")
    ] = False,
    data_dir: DataDir = None,
    offline: Offline = False,
) -> None:
    """Show a workload's implementations side by side.

    Definitions with the same name share a row. In a window that is too narrow, implementations are shown one below the
    other, still definition by definition. Code that an implementation shares with another workload is written out.

    A notebook trains the workload in its framework's own environment, from the weights and on the batches of a run. The
    data options are for notebooks.

    Example: rosetta show imdb-gru -f pytorch,jax --step --format html
    """
    from rosettabench.catalogue.workload import find_workload

    chosen = chosen_form(form, plain, output)
    found = find_workload(workload)
    asked = [word.strip() for word in ",".join(frameworks).split(",")] if frameworks else None
    columns = implementations(found, asked)
    if chosen is ShownAs.IPYNB:
        able = {label: one for label, one in columns.items() if asked or one.framework.program is None}
        write_all(found, able, output, data_dir, offline)
    else:
        print_or_write(chosen, found, each_file_once(columns), step, output)


def chosen_form(form: ShownAs | None, plain: bool, output: Path | None) -> ShownAs:
    """Return the requested format. Raises UsageError if two options contradict each other."""
    if plain and form not in (None, ShownAs.TEXT):
        raise UsageError(f"--plain is text, and --format {form} is not", "Leave one of the two out.")
    if form is ShownAs.TERMINAL and output is not None:
        raise UsageError("--format terminal prints, and --output names a file", "Leave one of the two out.")
    if form is None and output is not None and not plain:
        raise UsageError(f"--output {output} names no form", "Add --format html, --format ipynb, or --format text.")
    if form is not None:
        return form
    return ShownAs.TERMINAL if sys.stdout.isatty() and not plain else ShownAs.TEXT


def print_or_write(form: ShownAs, workload: Workload, columns: Columns, step: bool, output: Path | None) -> None:
    """Show implementations in a format other than notebooks. Print the path of a written file."""
    from rosettabench.report.formats.side_by_side import render_side_by_side

    shown = side_by_side(workload, columns, step)
    if form is ShownAs.TERMINAL:
        print_side_by_side(console(), shown)
        return
    content = render_side_by_side(shown) if form is ShownAs.HTML else as_text(shown, columns).encode()
    path = output or (Path(f"{workload.name.replace(':', '-')}.html") if form is ShownAs.HTML else STDOUT)
    write(content, path)
    if path != STDOUT:
        typer.echo(path)


def write_all(workload: Workload, columns: Columns, output: Path | None, data_dir: Path | None, offline: bool) -> None:
    """Write a notebook for each column, after preparing the data, and print the paths."""
    from rosettabench.cli.data import show_progress as progress_shown
    from rosettabench.cli.notebooks import places_of, write_notebooks
    from rosettabench.data.prepare import prepare_data
    from rosettabench.places import cache_dir

    places = places_of(workload, columns, output)
    with progress_shown(workload.data.set) as progress:
        data = prepare_data(workload, data_dir=data_dir, cache=cache_dir(), offline=offline, progress=progress)
    for path in write_notebooks(workload, columns, places, data):
        typer.echo(path)


def each_file_once(columns: Columns) -> Columns:
    """Return the columns without those whose file is in an earlier column: back ends share a file."""
    first = {one.path: label for label, one in reversed(columns.items())}
    return {label: one for label, one in columns.items() if first[one.path] == label}


def side_by_side(workload: Workload, columns: Columns, step: bool) -> SideBySide:
    """Return the content to show: the implementations, or with `step` the training steps, too."""
    from rosettabench.catalogue.step import CALLS, CALLS_OF_INFERENCE, step_of

    model = "Each file holds the model, and the ties of its tensors to the canonical ones."
    parts = [
        Section(
            "The implementations",
            model,
            align_definitions({label: one.definitions() for label, one in columns.items()}),
        )
    ]
    if step:
        trains = workload.inference is None
        calls = CALLS if trains else CALLS_OF_INFERENCE
        steps = {label: step_of(one.framework, calls).rows for label, one in columns.items()}
        said = (
            f"The methods of each adapter that a worker calls, {', '.join(calls)}, and what they use in the same file."
        )
        parts.append(Section("The training step" if trains else "The inference step", said, align_definitions(steps)))
    languages = {label: one.language for label, one in columns.items()}
    return SideBySide(workload.name, workload.summary, languages, parts)


def as_text(shown: SideBySide, columns: Columns) -> str:
    """Return the implementations as plain text, one below the other."""
    parts = [f"# {shown.title}: {shown.summary}"]
    parts += [f"# {label}: {one.path}" for label, one in columns.items()]
    for section in shown.sections:
        parts += [f"\n\n# {section.title}. {section.sentence}"] if len(shown.sections) > 1 else []
        parts += [f"\n# ---- {label} ----\n{code}" for row in section.rows.values() for label, code in row.items()]
    return "\n".join(parts) + "\n"


def print_side_by_side(out: Console, shown: SideBySide) -> None:
    """Print one column for each implementation if the terminal is wide enough, else one below the other."""
    out.print(f"{shown.title}: {shown.summary}\n")
    for section in shown.sections:
        if len(shown.sections) > 1:
            out.print(f"{section.title}\n{section.sentence}\n")
        if out.width >= NARROWEST * len(shown.languages):
            print_columns(out, section, shown.languages)
        else:
            print_stacked(out, section, shown.languages)


def print_columns(out: Console, section: Section, languages: dict[str, str]) -> None:
    """Print one column for each implementation, and one row for each definition."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_lines=True, expand=True, pad_edge=False)
    for label in languages:
        table.add_column(label, ratio=1)
    for row in section.rows.values():
        table.add_row(*(highlight_code(row.get(label, ""), language) for label, language in languages.items()))
    out.print(table)


def print_stacked(out: Console, section: Section, languages: dict[str, str]) -> None:
    """Print the implementations of each definition one below the other."""
    from rich.rule import Rule

    for row in section.rows.values():
        for label, code in row.items():
            out.print(Rule(label, align="left", style="dim"), highlight_code(code, languages[label]))


def highlight_code(code: str, language: str) -> RenderableType:
    """Return code in colours that are readable on dark and light terminals."""
    from rich.syntax import Syntax

    return Syntax(code, language, theme="ansi_dark", background_color="default", word_wrap=True)
