"""``rosetta matrix``: which framework implements which workload in which mode, and whether that is proven."""

from __future__ import annotations

from typing import Annotated

import typer

from rosettabench.cli.options import StoreUrl


def matrix(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print it as a table for a Markdown file.")] = False,
    own: Annotated[bool, typer.Option("--own", help="Read the certificates of your own store instead.")] = False,
    store: StoreUrl = None,
) -> None:
    """Show which framework does what, and whether it is proven.

    It reads the register of proofs that comes with Rosettabench, or with --own the certificates in your own store. A
    proof counts as long as the code of model, adapter, workload and proof is unchanged. rosetta prove makes missing
    proofs.

    Example: rosetta matrix --markdown
    """
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.cli.console import console
    from rosettabench.cli.stored import existing_store
    from rosettabench.proof.register import read_register
    from rosettabench.proof.standing import cells, registered_cells
    from rosettabench.report.formats.layout import print_table
    from rosettabench.report.formats.markdown import table_markdown
    from rosettabench.report.tables.matrix import letter_columns, matrix_table

    workloads, entries = all_workloads().values(), list(competing_frameworks().values())
    if own:
        kept = existing_store(store)
        found = cells(workloads, entries, kept.certificates() if kept else [])
    else:
        found = registered_cells(workloads, entries, read_register())
    table = matrix_table(found)
    if markdown:
        typer.echo(table_markdown(table))
    else:
        print_table(letter_columns(table), console())
