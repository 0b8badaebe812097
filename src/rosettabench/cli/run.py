"""``rosetta run`` and ``rosetta resume``: the main job."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_runs, complete_suites
from rosettabench.cli.laboratory import conduct, open_laboratory
from rosettabench.cli.options import (
    Again,
    Axes,
    DataDir,
    Frameworks,
    Offline,
    Page,
    Python,
    StoreUrl,
    Timeout,
    Workloads,
    split,
)
from rosettabench.errors import UsageError
from rosettabench.plan.duration import LONGEST_S

if TYPE_CHECKING:
    from rosettabench.lab.run import Laboratory
    from rosettabench.plan.request import Request


ROUNDS_EACH = 4
"""Rounds of a process below which fewer are started, where the user asks for few rounds."""


def run(
    workloads: Workloads = None,
    frameworks: Frameworks = None,
    suite: Annotated[
        str | None,
        typer.Option(help="What to run where nothing else is said, and when to stop.", autocompletion=complete_suites),
    ] = None,
    axes: Axes = None,
    python: Python = None,
    rounds: Annotated[int | None, typer.Option(help="Give exactly so many rounds of turns.", min=1)] = None,
    precision: Annotated[
        float | None,
        typer.Option(help="Stop when all intervals are as narrow as this: 0.02 is ±2%.", min=0.0001, max=1),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Stop measuring a contest after so long.", min=0.1, max=LONGEST_S),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Time for the whole run, 10m or 1h: what does not fit is left out, and told.")
    ] = None,
    round_seconds: Annotated[
        float | None,
        typer.Option(help="How long a round of all contenders lasts.", min=0.05, max=LONGEST_S),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Start every contender afresh so many times; they share the rounds.", min=1)
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of all verdicts together.", min=0.5, max=0.9999)] = 0.95,
    margin: Annotated[float, typer.Option(help="A difference that does not matter in practice.", min=0, max=1)] = 0.02,
    full: Annotated[bool, typer.Option("--full", help="Train the stated epochs and evaluate after each.")] = False,
    control: Annotated[bool, typer.Option(help="Enter the first contender twice (A/A control).")] = True,
    insist: Annotated[
        bool, typer.Option("--insist", help="Measure contenders without a proof, too; never ranked.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="End a contest whose contenders differ in settings that must be equal.")
    ] = False,
    prove_again: Again = False,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
    report: Page = None,
) -> None:
    """Prove that contenders do equal work, then time them in turns.

    Without arguments it runs the suite "quick", one process of each contender. Where you name workloads or contenders,
    and no suite, five fresh processes of each share 20 rounds, and five more another 20 where these leave a pair open.
    Everything is kept the moment it happens: after Ctrl-C, or worse, `rosetta resume` goes on.

    Example: rosetta run
    Example: rosetta run imdb-gru fashion-mlp -f pytorch,mxnet-gluon:compiled --set batch_size=32,256 --rounds 10
    Example: rosetta run --suite smartia-2019 --budget 10m
    """
    from rosettabench.catalogue.suite import MAIN, Stopping, find_suite
    from rosettabench.catalogue.workload import MONASH
    from rosettabench.cli.joined import CONTESTS, parted, trainings_of
    from rosettabench.client.machine import describe_machine
    from rosettabench.data.find import obtainable
    from rosettabench.data.registry import data_set
    from rosettabench.environments.environment import check_interpreter
    from rosettabench.places import cache_dir
    from rosettabench.plan.budget import check_rounds
    from rosettabench.plan.duration import read_duration
    from rosettabench.plan.plan import make_plan
    from rosettabench.plan.request import Request
    from rosettabench.plan.scope import scope
    from rosettabench.plan.setting import read_axes

    if report is not None and not report.name:
        raise UsageError("--report names no file", "Leave it out, or name one: --report run.html")
    if budget and (full or rounds or seconds):
        raise UsageError(
            "--budget decides on rounds and seconds; --full, --rounds and --seconds do, too", "Leave one out."
        )
    time = read_duration(budget) if budget else None
    if full and (rounds or precision or seconds or processes):
        raise UsageError(
            "--full trains to the end; --rounds, --precision, --seconds and --processes would stop it", "Leave one out."
        )
    for option, given in (("--suite", suite), ("--budget", budget), *(("-f", one) for one in frameworks or ())):
        if given is not None and not given.strip(" ,"):
            raise UsageError(f"{option} is empty", "Leave it out, or name something: rosetta run --help")
    if python is not None:
        check_interpreter(python)
    named = find_suite(suite or MAIN)
    gpus = len(describe_machine()["gpus"])

    def real(name: str) -> bool:  # of the archive those sets are meant that lie at hand
        return obtainable(data_set(name), data_dir, cache_dir(), offline or name.startswith(MONASH))

    here = scope(named, gpus, real)
    contenders, libraries = parted(split(frameworks))
    own_question = suite is None and (workloads or frameworks)
    usual = Stopping() if own_question else named.stopping
    asked = {
        "rounds": (rounds, rounds) if rounds else None,
        "precision": precision,
        "seconds": seconds,
        "round_seconds": round_seconds,
        "processes": processes or (min(usual.processes, max(1, rounds // ROUNDS_EACH)) if rounds else None),
    }
    stopping = usual.model_dump() | {name: value for name, value in asked.items() if value is not None}
    request = Request.model_validate(
        {
            "workloads": tuple(workloads or here.workloads),
            "contenders": contenders or here.contenders,
            "study": named.study,
            "lacking": here.lacks,
            "own_axes": here.axes,
            "python": str(python) if python else None,
            "axes": read_axes(axes or []),
            "control": control and named.control,
            "full": full,
            "stopping": stopping,
            "confidence": confidence,
            "margin": margin,
            "data_dir": str(data_dir.absolute()) if data_dir else None,
            "offline": offline,
            "insist": insist,
            "strict": strict,
            "prove_again": prove_again,
            "timeout": timeout,
        }
    )
    if rounds is not None:
        check_rounds(make_plan(request), rounds, confidence)
    request = request.model_copy(update={"shipped": trainings_of(named, request, libraries, time)})
    laboratory = open_laboratory(store)
    share = time * CONTESTS if time is not None and request.shipped else time
    started = laboratory.begin(fitting(request, laboratory, share, named.smaller), ["rosetta", *sys.argv[1:]])
    conduct(laboratory, started, report)


def fitting(
    request: Request, laboratory: Laboratory, budget: float | None, batches: Mapping[str, Sequence[int]]
) -> Request:
    """Return the request with what fits into memory and, in seconds, into the budget; say what it will take.

    `batches` are those that a workload may be cut to, rather than be left out.
    """
    from psutil import virtual_memory

    from rosettabench.client.machine import describe_machine
    from rosettabench.lab.past import read_past
    from rosettabench.plan.budget import Fitted, fitted
    from rosettabench.plan.estimate import estimate
    from rosettabench.plan.left_out import sentences
    from rosettabench.plan.plan import PlannedContest, make_plan
    from rosettabench.plan.smaller import with_smaller_batches
    from rosettabench.published.asked import claims_asking, intervals_together
    from rosettabench.published.available import catalogue
    from rosettabench.published.claim import all_claims

    free = virtual_memory().available
    machine = describe_machine()
    before = read_past(laboratory.store, machine)
    claims = [claim for claim in all_claims() if claim.study == request.study or not request.study]
    here = catalogue(len(machine["gpus"]))

    def asked(planned: PlannedContest) -> frozenset[str]:
        return claims_asking(claims, planned.workload.name, planned.setting.as_json(), here)

    if request.study:
        request = request.model_copy(update={"tests": intervals_together(claims, here)})

    def fit(tried: Request) -> Fitted:
        contests = [(planned, estimate(planned, before)) for planned in make_plan(tried)]
        preparing = sum(job.seconds for job in laboratory.jobs(tried, [planned for planned, _ in contests]))
        return fitted(tried, contests, budget, free, asked, preparing)

    kept = with_smaller_batches(request, batches, fit)
    left_out = [f"left out: {sentence}" for sentence in sentences(kept.request.left_out)]
    for sentence in (*request.lacking, kept.told, *left_out):
        typer.echo(sentence, err=True)
    return kept.request


def resume(
    run_id: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN", help="A run, or the beginning of its name; else the newest.", autocompletion=complete_runs
        ),
    ] = None,
    store: StoreUrl = None,
    report: Page = None,
) -> None:
    """Go on with a run that was interrupted.

    Contests that are done stay as they are; in the one that was cut short, finished blocks are kept and more are added.
    Of libraries as shipped, trainings that are done are kept, and the others done. A budget begins anew.

    Example: rosetta resume
    """
    from rosettabench.cli.shipped import race
    from rosettabench.places import store_url
    from rosettabench.plan.trainings import trains_only
    from rosettabench.store.store import Store

    Store.existing(store or store_url())
    laboratory = open_laboratory(store)
    found = laboratory.store.run(run_id)
    if trains_only(found.request):
        race(laboratory, found, report)
    else:
        conduct(laboratory, found, report)
