"""``rosetta history``: the times of a trial over all runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_workloads
from rosettabench.cli.options import Axes, Frameworks, Json, StoreUrl, split
from rosettabench.errors import UsageError

if TYPE_CHECKING:
    from rosettabench.history.cell import Key
    from rosettabench.history.timeline import Timeline
    from rosettabench.store.store import Store


def history(
    workload: Annotated[
        str | None,
        typer.Argument(help="The workload; all if left out.", autocompletion=complete_workloads, show_default=False),
    ] = None,
    frameworks: Frameworks = None,
    axes: Axes = None,
    confidence: Annotated[float, typer.Option(help="Confidence of each interval.", min=0.5, max=0.9999)] = 0.95,
    margin: Annotated[float, typer.Option(help="Smaller differences between levels are ignored.", min=0, max=1)] = 0.02,
    json: Json = False,
    store: StoreUrl = None,
) -> None:
    """Show a trial over time, and when it got slower or faster.

    Lists all runs of this machine in the store, oldest first. Where the level changed, it says what else had changed.

    Example: rosetta history imdb-gru -f pytorch --set batch_size=64
    """
    from rosettabench.cli.console import console
    from rosettabench.places import store_url
    from rosettabench.report.formats.record import as_json
    from rosettabench.report.formats.timeline import print_timelines
    from rosettabench.store.store import Store

    found = [
        one
        for one in follow_workloads(Store.existing(store or store_url()), workload, confidence, margin)
        if is_wanted(one.key, split(frameworks), axes or [])
    ]
    if not found:
        raise UsageError(
            "the store has no such run of this machine",
            "rosetta list runs shows all; rosetta run makes one.",
        )
    if json:
        typer.echo(as_json({"timelines": found}))
    else:
        print_timelines(found, console())


def follow_workloads(store: Store, workload: str | None, confidence: float, margin: float) -> list[Timeline]:
    """Return the timelines of a workload, or of all, on this machine."""
    from rosettabench.catalogue.workload import all_workloads, find_workload
    from rosettabench.client.machine import describe_machine
    from rosettabench.history.archive import Archive
    from rosettabench.history.timeline import timelines

    names = [find_workload(workload).name] if workload else list(all_workloads())
    machine = describe_machine()
    return [
        one for name in names for one in timelines(Archive(store, name, machine).stored_contests, confidence, margin)
    ]


def is_wanted(key: Key, contenders: tuple[str, ...], axes: list[str]) -> bool:
    """Return whether a cell has one of the contenders, and one of the values on every named axis.

    A framework without a mode stands for all its modes.
    """
    from rosettabench.catalogue.contender import parse_contender
    from rosettabench.plan.setting import read_axes

    values = key.values
    if not all(values.get(name) in allowed for name, allowed in read_axes(axes).items()):
        return False
    named = [(parse_contender(text), ":" in text) for text in contenders]
    return not named or any(
        one.framework == key.framework and (one.mode == key.mode or not exact) for one, exact in named
    )
