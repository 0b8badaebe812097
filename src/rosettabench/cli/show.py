"""``rosetta show``: a workload's implementations beside each other, definition by definition."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.alignment import aligned
from rosettabench.cli.completion import complete_frameworks, complete_workloads
from rosettabench.cli.console import console
from rosettabench.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from rosettabench.catalogue.workload import Workload

LANGUAGES = {".py": "python", ".R": "r"}
"""What implementations are written in, by the endings of their files, as the colours know it."""

NARROWEST = 56
"""Columns that an implementation needs beside others: below that, most of its lines would be broken."""


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
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain text, one below the other; so it is in a pipe, too.")
    ] = False,
) -> None:
    """Show a workload's implementations side by side.

    What has the same name at the top level of the files stands in the same row. In a window that is too narrow for
    that, implementations stand one below the other, still definition by definition. What an implementation shares with
    another workload is written out.

    Example: rosetta show imdb-gru -f pytorch,jax
    """
    from rosettabench.catalogue import r_source
    from rosettabench.catalogue.shared import read_whole
    from rosettabench.catalogue.workload import find_workload

    found = find_workload(workload)
    files = implementations(found, ",".join(frameworks).split(",") if frameworks else None)
    in_r = [name for name, path in files.items() if path.suffix == r_source.SUFFIX]
    rows = aligned({name: read_whole(path) for name, path in files.items()}, in_r)
    if plain or not sys.stdout.isatty():
        typer.echo(as_text(found, files, rows))
        return
    out = console()
    out.print(f"{found.name}: {found.summary}\n")
    if out.width >= NARROWEST * len(files):
        side_by_side(out, files, rows)
    else:
        stacked(out, files, rows)


def implementations(workload: Workload, frameworks: list[str] | None) -> dict[str, Path]:
    """Return {framework: its file for the workload}, in the order asked for; a file that two share is shown once.

    Raises UsageError for an unknown framework, and for one that does not implement the workload.
    """
    from rosettabench.catalogue.framework import all_frameworks, contestants
    from rosettabench.catalogue.names import nearest

    known: dict[str, tuple[str, str | None]] = {}
    for name, entry in all_frameworks().items():
        known[name] = known[entry.implementation_name] = entry.implementation_name, None  # keras, whatever it runs on
        known |= {f"{name}@{release}": (entry.implementation_name, release) for release in entry.releases}
    able = {name: path for name in known if (path := workload.implementation(*known[name]))}
    asked = [word.strip() for word in frameworks] if frameworks else [name for name in contestants() if name in able]
    files: dict[str, Path] = {}
    for word in asked:
        name = nearest("framework", word.partition(":")[0], known)
        if name not in able:
            raise UsageError(
                f"{workload.name} is not written in {name} yet",
                hint=f"It is in: {', '.join(able)}. docs/guide/adding-a-framework.md says how to add it.",
            )
        if able[name] not in files.values():
            files[name] = able[name]
    return files


def as_text(workload: Workload, files: dict[str, Path], rows: list[dict[str, str]]) -> str:
    """Return the implementations as plain text, one below the other."""
    parts = [f"# {workload.name}: {workload.summary}"]
    parts += [f"# {name}: {path}" for name, path in files.items()]
    parts += [f"\n# ---- {name} ----\n{code}" for row in rows for name, code in row.items()]
    return "\n".join(parts)


def side_by_side(out: Console, files: dict[str, Path], rows: list[dict[str, str]]) -> None:
    """Print one column for each implementation, and one row for each definition."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_lines=True, expand=True, pad_edge=False)
    for name in files:
        table.add_column(name, ratio=1)
    for row in rows:
        table.add_row(*(highlighted(row.get(name, ""), path) for name, path in files.items()))
    out.print(table)


def stacked(out: Console, files: dict[str, Path], rows: list[dict[str, str]]) -> None:
    """Print the implementations of each definition one below the other."""
    from rich.rule import Rule

    for row in rows:
        for name, path in files.items():
            if name in row:
                out.print(Rule(name, align="left", style="dim"), highlighted(row[name], path))


def highlighted(code: str, path: Path) -> RenderableType:
    """Return code out of a file in colours that are readable on dark and light terminals alike."""
    from rich.syntax import Syntax

    return Syntax(code, LANGUAGES[path.suffix], theme="ansi_dark", background_color="default", word_wrap=True)
