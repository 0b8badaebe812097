"""``rosetta export-run``: a run as one file that another machine can check and repeat."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosettabench.cli.completion import complete_runs
from rosettabench.cli.options import StoreUrl
from rosettabench.cli.page import STDOUT, write


def export_run(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN",
            help="The run's id, or its beginning; by default the newest run that measured.",
            autocompletion=complete_runs,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Where to write it; - is standard output. Default: ./rosetta-run-<run>.zip"),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Write a run to a file that another machine can check and repeat.

    The file is a ZIP of JSON, CSV and text: every block, the proofs, versions and locks, machine, verdicts. Folders,
    addresses, and the names of the user and the host are not in it. docs/guide/evidence.md says what is.

    Example: rosetta export-run
    Example: rosetta export-run 20261103-0714 --output run.zip
    """
    from hashlib import sha256

    from rosettabench.evidence.archive import check_size, pack
    from rosettabench.evidence.collection import collect
    from rosettabench.evidence.members import members_of
    from rosettabench.places import store_url
    from rosettabench.store.store import Store

    kept = Store.existing(store or store_url())
    found = collect(kept.run(run or kept.newest_measured()))
    content = check_size(pack(members_of(found)))
    path = output or Path(f"rosetta-run-{found.run.id}.zip")
    write(content, path)
    if path == STDOUT:
        return
    typer.echo(path)
    typer.echo(f"SHA-256: {sha256(content).hexdigest()}")
    for sentence in found.run.left_out:
        typer.echo(f"left out: {sentence}", err=True)
    typer.echo("Look at it before you publish it: run.json, events.json, failures.json.", err=True)
