"""``rosetta claims``: the claims of published studies, and their outcomes on the machines of a store."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_studies
from rosettabench.cli.options import StoreUrl

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary

LATEST = 20
"""The number of runs of each kind of machine that are searched, the newest first."""


def claims(
    study: Annotated[
        str | None,
        typer.Argument(help="A study; all of them if none is named.", autocompletion=complete_studies),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """List what published studies claim, and whether it holds on the machines in the store.

    Each claim is judged from one run: the newest of the latest 20 in the store that measured everything it needs. If
    several kinds of machines have measured, it is judged on each by itself. A claim that cannot be tested states what
    it needs.

    Example: rosetta claims smartia-2019
    """
    from rosettabench.cli.console import console
    from rosettabench.client.machine import describe_machine
    from rosettabench.published.machines import outcomes_by_machine
    from rosettabench.published.study import all_studies, find_study
    from rosettabench.report.formats.layout import print_table
    from rosettabench.report.tables.studies import claims_table
    from rosettabench.summary.study import ClaimFinding

    wanted = [find_study(study)] if study else list(all_studies().values())
    here = describe_machine()
    runs = latest_summaries(store)
    out = console()
    for one in wanted:
        found = list(outcomes_by_machine(one.name, runs, here))
        counts = [f"{sum(outcome.finding is kind for outcome in found)} {kind.value}" for kind in ClaimFinding]
        print_table(claims_table(found, f"{one.name}: {one.title}. {', '.join(counts)}."), out)


def latest_summaries(store: str | None) -> list[RunSummary]:
    """Return the summaries of the latest runs of each kind of machine, the newest first; empty without a store."""
    from rosettabench.cli.stored import stored_runs
    from rosettabench.places import store_url
    from rosettabench.store.machine import machine_key
    from rosettabench.store.store import Store
    from rosettabench.summary.run import summarise

    before = Counter[str]()
    latest = []
    for run in stored_runs(store):
        before[machine_key(run.machine)] += 1
        latest += [run] if before[machine_key(run.machine)] <= LATEST else []
    return [summarise(Store(store or store_url()).run(run.id)) for run in latest]
