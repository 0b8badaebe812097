"""``rosetta run`` and ``rosetta resume``: the main job."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_contenders, complete_runs, complete_suites, complete_workloads
from rosettabench.errors import EnvironmentFault, OtherWork, UsageError, WorkerError
from rosettabench.plan.duration import LONGEST_S

if TYPE_CHECKING:
    from rosettabench.lab.run import Laboratory
    from rosettabench.plan.request import Request
    from rosettabench.store.schema import Contest, Run
    from rosettabench.store.store import Store

Workloads = Annotated[
    list[str] | None,
    typer.Argument(help="Workloads; those of the suite if none is named.", autocompletion=complete_workloads),
]
Frameworks = Annotated[
    list[str] | None,
    typer.Option(
        "--frameworks",
        "-f",
        help="Contenders, separated by commas: pytorch, pytorch:compiled, pytorch@2.13.0, keras[tensorflow].",
        autocompletion=complete_contenders,
    ),
]
Python = Annotated[
    Path | None, typer.Option(help="Measure what is installed beside this interpreter instead of our environments.")
]
Axes = Annotated[list[str] | None, typer.Option("--set", help="Values on an axis: batch_size=32,256.")]


def not_empty(option: typer.CallbackParam, value: str | None) -> str | None:
    """Return what an option says. Raises UsageError where it says nothing: who writes it means something."""
    if value is not None and not value.strip():
        raise UsageError(f"{option.opts[0]} is empty", "Leave it out, or name something: --help explains it.")
    return value


def read_folder(text: str) -> Path:
    """Return the folder that an option names. Raises UsageError for an empty name, which Path takes for this folder."""
    if not text.strip():
        raise UsageError("the name of the folder is empty", "Leave --data-dir out, or name one; . is this folder.")
    return Path(text)


DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder with the original data sets.",
        envvar="ROSETTA_DATA",
        show_default=False,
        parser=read_folder,
        metavar="<path>",
    ),
]
StoreUrl = Annotated[
    str | None,
    typer.Option("--store", help="Where results are kept, as a URL.", envvar="ROSETTA_STORE", callback=not_empty),
]
Offline = Annotated[bool, typer.Option("--offline", help="Download no data; use a stand-in where there is none.")]
Again = Annotated[bool, typer.Option("--prove-again", help="Prove even what is proven already.")]
Timeout = Annotated[float, typer.Option(help="Seconds after which a silent worker is given up.", min=1, max=LONGEST_S)]

HOW_WATCHED = "docs/watch.md says what is watched, and what may differ."
"""Where to read on about a contender that did other work."""

ROUNDS_EACH = 4
"""Rounds of a process below which fewer are started, where the user asks for few rounds."""

Page = Annotated[Path | None, typer.Option("--report", help="Where to write the HTML report.", show_default=False)]


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


def split(frameworks: list[str] | None) -> tuple[str, ...]:
    """Return contenders named by one or several -f options, each with commas between names."""
    return tuple(word.strip() for text in frameworks or [] for word in text.split(",") if word.strip())


def open_laboratory(store: str | None) -> Laboratory:
    """Return the laboratory of this user: store, cache, and a display on standard error."""
    from rosettabench.cli.progress import display
    from rosettabench.lab.run import Laboratory
    from rosettabench.places import cache_dir, store_url
    from rosettabench.store.store import Store

    cache = cache_dir()
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"{cache} cannot be made: {error.strerror}", "Name another with ROSETTA_CACHE."
        ) from error
    return Laboratory(Store(store or store_url()), cache, display())


def conduct(laboratory: Laboratory, started: Run, page: Path | None) -> None:
    """Do what is left of a run and report it, whatever happens on the way."""
    from rosettabench.lab.run import unfinished
    from rosettabench.plan.trainings import trainings_asked
    from rosettabench.reasons.examination import conduct as as_asked
    from rosettabench.shipped.race import Race
    from rosettabench.shipped.results import Results
    from rosettabench.store.store import unbegun

    begun = monotonic()

    def tell_ranking(contest: Contest) -> None:
        laboratory.display.told(ranking(laboratory.store.run(started.id), contest.id))

    try:
        with laboratory.display:
            laboratory.go_on(started, as_asked, tell_ranking)
            if trainings_asked(started.request):
                Race(laboratory.store, laboratory.cache, laboratory.display).go_on(started, begun)
    except KeyboardInterrupt:
        typer.echo("", err=True)
        publish(laboratory.store, laboratory.store.run(started.id), page)
        typer.echo(f"interrupted; what is measured is kept. Go on with: rosetta resume {started.id}", err=True)
        raise
    finished = laboratory.store.run(started.id)
    publish(laboratory.store, finished, page)
    told = {"plan"} if finished.request.get("study") else set()  # what of a study is not written here is no error
    missing = sum(failure.entry_id is None and failure.stage not in told for failure in finished.failures)
    failed = any(one.is_failure for one in Results.of(finished).absences.values())
    waiting = {contest.id for contest in finished.contests if unbegun(finished, contest)}
    left = {contest.id for contest in finished.contests if unfinished(finished, contest)} - waiting
    others = [failure for failure in finished.failures if failure.kind == OtherWork.KIND]
    if others:
        raise OtherWork(f"{len(others)} of the contenders did other work while they were timed: see above", HOW_WATCHED)
    if missing or failed or left:
        raise WorkerError(
            "incomplete",
            "not everything could be measured: see above",
            f"rosetta resume {finished.id} tries those that failed again.",
        )
    if waiting:
        typer.echo(f"the budget was spent before all had begun; go on with: rosetta resume {finished.id}", err=True)


def ranking(run: Run, contest_id: int) -> str:
    """Return the verdict and the ranking of a contest of a run that goes on, as text."""
    from io import StringIO
    from shutil import get_terminal_size

    from rich.console import Console

    from rosettabench.report.contest import summarise_contest
    from rosettabench.report.run import contest_names
    from rosettabench.report.terminal import print_ranking

    contest = next(contest for contest in run.contests if contest.id == contest_id)
    text = StringIO()
    console = Console(file=text, width=get_terminal_size().columns, markup=False, highlight=False)
    print_ranking(summarise_contest(run, contest, contest_names(run)[contest_id], ()), console)
    return text.getvalue().rstrip()


def publish(store: Store, finished: Run, page: Path | None) -> None:
    """Write the page of a run, which is in `store`, and print its tables.

    The page comes first, so that it is not lost where nothing can be printed. Without room for it, the tables are
    printed all the same.
    """
    from rosettabench.ceilings.ceiling import measured_here
    from rosettabench.cli.console import console
    from rosettabench.cli.report import Format, render, write
    from rosettabench.report.html import file_stem
    from rosettabench.report.run import summarise
    from rosettabench.report.terminal import print_run

    summary = summarise(finished, measured_here(store, finished.machine))
    path = page or Path(f"{file_stem(summary)}.html")
    try:
        write(render(summary, Format.HTML), path, "rosetta report --output")
    finally:
        print_run(summary, console())
    typer.echo(f"report: {path}")
