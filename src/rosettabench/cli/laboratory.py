"""Open the user's laboratory, conduct a run in it, and report the results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import typer
from typer._click.globals import get_current_context

from rosettabench.errors import EnvironmentFault, FailureKind, OtherWork, WorkerError

if TYPE_CHECKING:
    from rich.console import Console

    from rosettabench.cluster.connection import RayCluster
    from rosettabench.lab.run import Laboratory
    from rosettabench.plan.request import Request
    from rosettabench.store.schema import Contest, Run
    from rosettabench.store.store import Store
    from rosettabench.summary.records import RunSummary


Printer = Callable[["RunSummary", "Console"], None]
"""Prints the summary of a run."""

HOW_WATCHED = "docs/explanation/watch.md says what is watched, and what may differ."
"""The hint for a contender that did other work."""


def open_laboratory(store: str | None) -> Laboratory:
    """Return the user's laboratory, with its store, its cache, and a display on standard error."""
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
    opened = Store(store or store_url())
    get_current_context().call_on_close(lambda: tell_rescue(opened))
    return Laboratory(opened, cache, display())


def tell_rescue(store: Store) -> None:
    """Say how a run comes back into its database, if that went away."""
    from rosettabench.store.command import is_usual

    if store.left is None:
        return
    into = "" if is_usual(store.left) else f" --into {shlex.quote(store.left)}"
    typer.echo(f"When the database is back: rosetta store merge {shlex.quote(store.name)}{into}", err=True)


def resume_command(store: Store, run_id: str, cluster: RayCluster | None = None) -> str:
    """Return the command that continues a run: in its store, and on the same cluster."""
    from rosettabench.store.command import resume

    return resume(store, run_id, cluster.address if cluster else None)


def begin(laboratory: Laboratory, request: Request) -> Run:
    """Enter a new run into the store, with the command that the user typed."""
    from rosettabench.lab.begin import begin_run

    return begin_run(laboratory.store, request, ["rosetta", *sys.argv[1:]])


def printer(verbose: bool) -> Printer:
    """Return the function that prints a run: only its answers, or everything."""
    from rosettabench.report.formats.terminal import print_details, print_run

    return print_details if verbose else print_run


def conduct(
    laboratory: Laboratory, started: Run, page: Path | None, print_it: Printer, cluster: RayCluster | None = None
) -> None:
    """Do the rest of a run and report it, even if it fails or is interrupted."""
    try:
        measure(laboratory, started, cluster)
    except KeyboardInterrupt as interruption:
        again = resume_command(laboratory.store, started.id, cluster)
        typer.echo("", err=True)
        publish(laboratory.store, laboratory.store.run(started.id), page, print_it)
        interruption.add_note(f"interrupted; what was measured is kept. Continue with: {again}")
        raise
    tell_end(laboratory, started, page, print_it, cluster)


def measure(laboratory: Laboratory, started: Run, cluster: RayCluster | None = None) -> None:
    """Do the rest of a run: its contests, then its as-shipped trainings; or its contests on a cluster."""
    from rosettabench.plan.request import trainings_asked
    from rosettabench.reasons.examination import conduct as as_asked
    from rosettabench.shipped.race import Race

    begun = monotonic()

    def tell_ranking(contest: Contest) -> None:
        """Print the ranking of a finished contest."""
        laboratory.display.tell(ranking(laboratory.store.run_around(contest.id), contest.id))

    with laboratory.display:
        if cluster is not None:
            from rosettabench.cluster.sweep import spread

            spread(laboratory, started, cluster, tell_ranking)
            return
        laboratory.go_on(started, as_asked, tell_ranking)
        if trainings_asked(started.request):
            Race(laboratory.store, laboratory.cache, laboratory.display).go_on(started, begun)


def tell_end(
    laboratory: Laboratory, started: Run, page: Path | None, print_it: Printer, cluster: RayCluster | None = None
) -> None:
    """Report a run that is over. Raises the error that its worst failure asks for."""
    from rosettabench.lab.run import is_unfinished
    from rosettabench.shipped.results import Results
    from rosettabench.store.record import FailureStage
    from rosettabench.store.store import unbegun

    finished = laboratory.store.run(started.id)
    publish(laboratory.store, finished, page, print_it)
    told = {FailureStage.PLAN} if finished.request.get("study") else set()  # missing parts of a study are not errors
    missing = sum(failure.entry_id is None and failure.stage not in told for failure in finished.failures)
    failed = any(one.is_failure for one in Results.of(finished).absences.values())
    waiting = {contest.id for contest in finished.contests if unbegun(finished, contest)}
    left = {contest.id for contest in finished.contests if is_unfinished(finished, contest)} - waiting
    others = [failure for failure in finished.failures if failure.kind == FailureKind.OTHER_WORK]
    if others:
        raise OtherWork(f"{len(others)} of the contenders did other work while they were timed: see above", HOW_WATCHED)
    if missing or failed or left:
        raise WorkerError(
            FailureKind.INCOMPLETE,
            "not everything could be measured: see above",
            f"{resume_command(laboratory.store, finished.id, cluster)} tries those that failed again.",
        )
    if waiting:
        again = resume_command(laboratory.store, finished.id, cluster)
        typer.echo(f"the budget had not enough time left for all contests; continue with: {again}", err=True)


def ranking(run: Run, contest_id: int) -> str:
    """Return the verdict and the ranking of a contest in a run that continues, as text."""
    from io import StringIO
    from shutil import get_terminal_size

    from rich.console import Console

    from rosettabench.report.formats.terminal import print_ranking
    from rosettabench.summary.contest import summarise_contest
    from rosettabench.summary.measured_contest import measured_contests

    measured = next(one for one in measured_contests(run) if one.contest.id == contest_id)
    text = StringIO()
    console = Console(file=text, width=get_terminal_size().columns, markup=False, highlight=False)
    print_ranking(summarise_contest(measured), console)
    return text.getvalue().rstrip()


def publish(store: Store, finished: Run, page: Path | None, print_it: Printer) -> None:
    """Write the page of a run, which is in `store`, and print its tables.

    The page is written first, so that a failure to print does not lose it. If it cannot be written, the tables are
    printed all the same.
    """
    from rosettabench.ceilings.ceiling import measured_here
    from rosettabench.cli.console import console
    from rosettabench.cli.page import write
    from rosettabench.published.summary import summarise_whole
    from rosettabench.report.formats.form import Format, render
    from rosettabench.report.formats.html import file_stem

    summary = summarise_whole(finished, measured_here(store, finished.machine))
    path = page or Path(f"{file_stem(summary)}.html")
    try:
        write(render(summary, Format.HTML), path, "rosetta report --output")
    finally:
        print_it(summary, console())
    typer.echo(f"report: {path}")
