"""``rosetta shares``: the share of the machine's ceiling that each cell reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.options import StoreUrl
from rosettabench.errors import UsageError

if TYPE_CHECKING:
    from rosettabench.store.store import Store
    from rosettabench.summary.reached_share import ReachedShare


def shares(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print tables for a Markdown file.")] = False,
    store: StoreUrl = None,
) -> None:
    """Show which share of the machine's measured ceiling every cell reaches.

    For each cell, the newest run on this machine in the store counts, at the workload's own batch size; if there is
    none, a run at another size, which is then shown. The ceiling is that of matrix products, measured by rosetta peak
    in the same precision and with as many threads.

    Example: rosetta shares --markdown
    """
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.cli.console import console
    from rosettabench.cli.stored import existing_store
    from rosettabench.report.formats.layout import print_table
    from rosettabench.report.formats.markdown import table_markdown
    from rosettabench.report.tables.shares import shares_table

    found = shares_in(kept) if (kept := existing_store(store)) else []
    if not found:
        raise UsageError(
            "no share is known: it needs a run on this machine, and the ceiling for its number of threads",
            "rosetta run imdb-gru, then rosetta peak",
        )
    for threads in sorted({one.threads for one in found}):
        table = shares_table(found, threads, list(competing_frameworks()))
        if markdown:
            typer.echo(table_markdown(table))
        else:
            print_table(table, console())


def shares_in(store: Store) -> list[ReachedShare]:
    """Return the newest share of every cell in a store, measured on this machine."""
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.ceilings.ceiling import measured_here
    from rosettabench.client.machine import describe_machine
    from rosettabench.plan.setting import canonical_setting
    from rosettabench.store.kind import kind_of
    from rosettabench.store.machine import same_hardware
    from rosettabench.summary.reached_share import newest_shares
    from rosettabench.summary.run import summarise

    machine = describe_machine()
    ceilings = measured_here(store, machine)
    runs = [run for run in store.runs() if kind_of(run.request).has_contenders and same_hardware(run.machine, machine)]
    canonical = {name: canonical_setting(workload).as_json() for name, workload in all_workloads().items()}
    return newest_shares((summarise(store.run(run.id), ceilings) for run in runs), canonical)
