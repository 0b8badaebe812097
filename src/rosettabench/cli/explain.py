"""``rosetta explain``: where the difference between contenders lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_contenders, complete_workloads
from rosettabench.cli.laboratory import begin, conduct, open_laboratory, printer
from rosettabench.cli.options import Axes, DataDir, EachConfidence, Offline, Page, Python, StoreUrl, Timeout, split
from rosettabench.errors import UsageError
from rosettabench.plan.duration import LONGEST_S

if TYPE_CHECKING:
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store


Workload = Annotated[
    str | None, typer.Argument(help="The workload.", autocompletion=complete_workloads, show_default=False)
]
Contenders = Annotated[
    list[str] | None,
    typer.Argument(
        help="Two contenders or more: pytorch jax keras[tensorflow]:eager.",
        autocompletion=complete_contenders,
        show_default=False,
    ),
]
Seconds = Annotated[float, typer.Option(help="Seconds of measuring the parts of a step.", min=1, max=LONGEST_S)]
Starts = Annotated[int, typer.Option(help="Number of fresh processes of each contender, for start and memory.", min=1)]
WithProfile = Annotated[bool, typer.Option("--profile", help="Also run each framework's own profiler.")]
Last = Annotated[bool, typer.Option("--last", help="Print the newest explanation again; measure nothing.")]


def explain(
    workload: Workload = None,
    contenders: Contenders = None,
    seconds: Seconds = 60.0,
    starts: Starts = 5,
    profile: WithProfile = False,
    last: Last = False,
    axes: Axes = None,
    python: Python = None,
    confidence: EachConfidence = 0.95,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
    report: Page = None,
) -> None:
    """Say where the difference between contenders lies.

    Measures launch and interpreter, arithmetic, optimiser, input pipeline, start and memory separately, each with an
    interval. Before that, the contenders are proven to do equal work.

    Example: rosetta explain imdb-gru pytorch jax
    Example: rosetta explain fashion-mlp pytorch pytorch:compiled --seconds 30 --profile
    """
    from rosettabench.plan.own import absolute_path, own_contenders
    from rosettabench.plan.request import ExplainRequest, Terms

    if last:
        if workload:
            raise UsageError("--last prints what was measured before; it takes no names", "rosetta explain --last")
        again(store)
        return
    asked = absolute_path(workload) if workload else None
    named = split(contenders) or own_contenders([asked] if asked else [])
    if asked is None or len(named) < 2:
        raise UsageError("name a workload and two contenders or more", "Example: rosetta explain imdb-gru pytorch jax")
    terms = Terms.read(axes, data_dir, offline, timeout, python)
    examining = {"seconds": seconds, "starts": starts, "profile": profile, "confidence": confidence}
    request = ExplainRequest(**vars(terms), **examining, workloads=(asked,), contenders=named)
    laboratory = open_laboratory(store)
    conduct(laboratory, begin(laboratory, request), report, printer(verbose=False))


def again(store: str | None) -> None:
    """Print the newest explanation in the store."""
    from rosettabench.ceilings.ceiling import measured_here
    from rosettabench.cli.console import console
    from rosettabench.places import store_url
    from rosettabench.published.summary import summarise_whole
    from rosettabench.report.formats.terminal import print_run
    from rosettabench.store.store import Store

    kept = Store(store or store_url())
    run = newest(kept)
    print_run(summarise_whole(run, measured_here(kept, run.machine)), console())


def newest(store: Store) -> Run:
    """Return the newest run with an explanation. Raises UsageError if there is none."""
    from rosettabench.reasons.measured import MeasuredRounds
    from rosettabench.store.kind import RunKind, kind_of

    for row in store.runs():
        if kind_of(row.request) is RunKind.EXPLAIN:
            run = store.run(row.id)
            if MeasuredRounds.all_of(run.events):
                return run
    raise UsageError("nothing is explained in this store yet", "Example: rosetta explain imdb-gru pytorch jax")
