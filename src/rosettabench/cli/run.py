"""``rosetta run`` and ``rosetta resume``: prove and time contenders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_runs, complete_suites
from rosettabench.cli.laboratory import begin, conduct, open_laboratory, printer
from rosettabench.cli.options import (
    Again,
    Axes,
    Budget,
    Confidence,
    DataDir,
    Frameworks,
    Offline,
    On,
    Page,
    Python,
    RoundSeconds,
    StoreUrl,
    Timeout,
    Verbose,
    Workloads,
    split,
)
from rosettabench.errors import UsageError
from rosettabench.plan.duration import LONGEST_S

if TYPE_CHECKING:
    from rosettabench.lab.run import Laboratory
    from rosettabench.plan.limits import Limits
    from rosettabench.plan.request import RunRequest

SuiteName = Annotated[
    str | None,
    typer.Option("--suite", help="The suite: what to run, and when to stop.", autocompletion=complete_suites),
]
Rounds = Annotated[int | None, typer.Option(help="Run exactly this number of rounds.", min=1)]
Precision = Annotated[
    float | None, typer.Option(help="Stop when all intervals are this narrow: 0.02 is ±2%.", min=0.0001, max=1)
]
Seconds = Annotated[
    float | None, typer.Option(help="Stop measuring a contest after this number of seconds.", min=0.1, max=LONGEST_S)
]
Processes = Annotated[
    int | None, typer.Option(help="Number of fresh processes of each contender; they share the rounds.", min=1)
]
Margin = Annotated[float, typer.Option(help="A difference that does not matter in practice.", min=0, max=1)]
Full = Annotated[bool, typer.Option("--full", help="Train the stated epochs and evaluate after each.")]
Control = Annotated[bool, typer.Option(help="Enter the first contender twice (A/A control).")]
Insist = Annotated[bool, typer.Option("--insist", help="Measure contenders without a proof, too; never ranked.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="End a contest whose contenders differ in settings that must be equal.")
]


def run(
    workloads: Workloads = None,
    frameworks: Frameworks = None,
    suite: SuiteName = None,
    axes: Axes = None,
    python: Python = None,
    rounds: Rounds = None,
    precision: Precision = None,
    seconds: Seconds = None,
    budget: Budget = None,
    round_seconds: RoundSeconds = None,
    processes: Processes = None,
    confidence: Confidence = 0.95,
    margin: Margin = 0.02,
    full: Full = False,
    control: Control = True,
    insist: Insist = False,
    strict: Strict = False,
    prove_again: Again = False,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
    on: On = None,
    report: Page = None,
    verbose: Verbose = False,
) -> None:
    """Prove that contenders do equal work, then time them in turns.

    Without arguments it runs the suite "quick", with one process of each contender. If you name workloads or
    contenders, but no suite, five fresh processes of each share 20 rounds; if these leave a pair undecided, five more
    share another 20. Results are stored at once: after Ctrl-C or a crash, `rosetta resume` continues the run.

    Example: rosetta run
    Example: rosetta run imdb-gru fashion-mlp -f pytorch,mxnet-gluon:compiled --set batch_size=32,256 --rounds 10
    Example: rosetta run --suite smartia-2019 --budget 10m
    """
    from rosettabench.cluster.sweep import cluster_at
    from rosettabench.plan.limits import Limits
    from rosettabench.plan.own import absolute_paths
    from rosettabench.plan.request import RunRequest, Terms

    check_names(suite, budget, frameworks, report)
    limits = Limits(rounds, precision, seconds, round_seconds, processes, budget, full)
    terms = Terms.read(axes, data_dir, offline, timeout, python)
    rules = {"confidence": confidence, "margin": margin, "insist": insist, "strict": strict, "prove_again": prove_again}
    asked = RunRequest(**vars(terms), **rules, workloads=absolute_paths(workloads or ()), control=control, full=full)
    laboratory, request = plan_run(suite, split(frameworks), asked, limits, store)
    with cluster_at(on, request) as cluster:
        conduct(laboratory, begin(laboratory, request), report, printer(verbose), cluster)


def check_names(suite: str | None, budget: str | None, frameworks: list[str] | None, report: Path | None) -> None:
    """Raise UsageError for an option without a name."""
    from rosettabench.plan.choice import refuse_empty

    if report is not None and not report.name:
        raise UsageError("--report names no file", "Leave it out, or name one: --report run.html")
    for option, given in (("--suite", [suite]), ("--budget", [budget]), ("-f", frameworks or [])):
        refuse_empty(option, [name for name in given if name is not None])


def plan_run(
    suite: str | None, named: Sequence[str], asked: RunRequest, limits: Limits, store: str | None
) -> tuple[Laboratory, RunRequest]:
    """Return the laboratory, and the request to run in it: `asked`, completed from the suite.

    Contests that do not fit into memory or time are left out and reported.
    """
    from rosettabench.client.machine import describe_machine
    from rosettabench.data.registry import originals_at_hand
    from rosettabench.places import cache_dir
    from rosettabench.plan.budget import check_rounds
    from rosettabench.plan.choice import choose
    from rosettabench.plan.left_out import sentences
    from rosettabench.plan.plan import make_plan
    from rosettabench.published.fitting import fit_run
    from rosettabench.shipped.beside import split_names, time_of_contests, trainings_of

    real = originals_at_hand(asked.data_dir, cache_dir(), asked.offline)
    chosen = choose(suite, bool(asked.workloads or named), len(describe_machine()["gpus"]), real)
    contenders, libraries = split_names(named)
    request = chosen.complete(asked, contenders, limits)
    if limits.rounds is not None:
        check_rounds(make_plan(request), limits.rounds, request.confidence)
    time = limits.time
    request = request.model_copy(update={"shipped": trainings_of(chosen.suite, request, libraries, time)})
    laboratory = open_laboratory(store)
    kept = fit_run(request, laboratory, time_of_contests(time, request), chosen.suite.smaller)
    left_out = [f"left out: {sentence}" for sentence in sentences(kept.request.left_out)]
    for sentence in (*kept.request.lacking, kept.summary, *left_out):
        typer.echo(sentence, err=True)
    return laboratory, kept.request


def resume(
    run_id: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN", help="The run's id, or its beginning; by default the newest.", autocompletion=complete_runs
        ),
    ] = None,
    store: StoreUrl = None,
    on: On = None,
    report: Page = None,
    verbose: Verbose = False,
) -> None:
    """Continue a run that was interrupted.

    Finished contests stay as they are. The interrupted contest keeps its finished blocks, and more are added. Finished
    trainings by libraries as shipped are kept, and the missing ones are run. A budget starts anew.

    Example: rosetta resume
    """
    from rosettabench.cli.shipped import race
    from rosettabench.cluster.sweep import cluster_at
    from rosettabench.places import store_url
    from rosettabench.plan.request import read_request
    from rosettabench.store.kind import RunKind, kind_of
    from rosettabench.store.store import Store

    Store.existing(store or store_url())
    laboratory = open_laboratory(store)
    found = laboratory.store.run(run_id)
    if kind_of(found.request) is RunKind.SHIPPED:
        race(laboratory, found, report)
    else:
        with cluster_at(on, read_request(found.request)) as cluster:
            conduct(laboratory, found, report, printer(verbose), cluster)
