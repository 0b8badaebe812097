"""``rosetta matrix``: which framework does which workload in which mode, and whether that is proven."""

from __future__ import annotations

from typing import Annotated

import typer

from rosettabench.cli.run import StoreUrl


def matrix(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print it as a table for a Markdown file.")] = False,
    store: StoreUrl = None,
) -> None:
    """Show which framework does what, and whether it is proven.

    A certificate counts as long as the files are the same: model, adapter, workload and proof. rosetta prove makes
    those that are missing.

    Example: rosetta matrix --markdown
    """
    from rosettabench.catalogue.framework import contestants
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.cli.console import console
    from rosettabench.cli.list import existing_store
    from rosettabench.proof.standing import cells
    from rosettabench.report.markdown import table_markdown
    from rosettabench.report.matrix import matrix_table
    from rosettabench.report.terminal import print_table

    kept = existing_store(store)
    found = cells(all_workloads().values(), list(contestants().values()), kept.certificates() if kept else [])
    table = matrix_table(found)
    if markdown:
        typer.echo(table_markdown(table))
    else:
        print_table(table, console())
