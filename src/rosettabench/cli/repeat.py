"""``rosetta repeat``: check a bundle, measure it again here, and say whether its verdicts hold."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_runs
from rosettabench.cli.laboratory import begin, conduct, open_laboratory, printer
from rosettabench.cli.options import DataDir, Json, Offline, Page, StoreUrl, Timeout, Verbose
from rosettabench.errors import Contradicted, DataError, Undecided, UsageError, WorkerError

if TYPE_CHECKING:
    from rich.console import Console

    from rosettabench.evidence.content import Bundle
    from rosettabench.evidence.examination import ExaminedBundle
    from rosettabench.evidence.repetition import ReadersParts
    from rosettabench.lab.run import Laboratory
    from rosettabench.store.schema import Run

Check = Annotated[bool, typer.Option("--check", help="Only check the file and its verdicts; measure nothing.")]
Folders = Annotated[
    list[str] | None,
    typer.Option("--workload", help="Your copy of a workload that is a folder of the author's: my-gpt=./my-gpt."),
]
Interpreters = Annotated[
    list[str] | None,
    typer.Option("--python", help="Your interpreter in place of one of the author's: pytorch=/my/venv/bin/python."),
]
Threads = Annotated[
    int | None, typer.Option(help="Threads of every numerical library, instead of those of the bundle.", min=1)
]
Measured = Annotated[
    str | None,
    typer.Option(
        "--run", help="Measure nothing: compare with this repetition, which is stored.", autocompletion=complete_runs
    ),
]

AGAIN = "rosetta report shows the repetition; rosetta repeat --run compares it again."
"""The hint for verdicts that do not hold."""


def repeat(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A file of rosetta export-run.")],
    check: Check = False,
    workload: Folders = None,
    python: Interpreters = None,
    threads: Threads = None,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    run: Measured = None,
    json: Json = False,
    store: StoreUrl = None,
    report: Page = None,
    verbose: Verbose = False,
) -> None:
    """Check a file of rosetta export-run, and measure it again here.

    First the file is checked: its checksums, and whether its verdicts follow from its blocks. Then the same contests
    are measured here, and each verdict is compared. Nothing in the file is executed or installed. Ends with 0 if all
    verdicts hold (at another ratio, too), 4 if the file is changed, 9 if some are undecided here, 11 if one is
    contradicted.

    Example: rosetta repeat --check run.zip
    Example: rosetta repeat run.zip --data-dir ~/data
    """
    from rosettabench.evidence.repetition import ReadersParts, read_parts

    if check and run:
        raise UsageError("--check measures nothing, and --run names a measurement", "Leave one of the two out.")
    folders, pythons = read_parts("--workload", workload or ()), read_parts("--python", python or ())
    parts = ReadersParts(folders, pythons, data_dir, offline, timeout, threads)
    found = check_file(bundle, out(json and not check), json and check)
    if check:
        return
    check_statement(found.bundle)
    laboratory = open_laboratory(store)
    failed = None
    if run:
        measured = stored_repetition(laboratory, found.bundle, run, threads)
    else:
        with redirect_stdout(sys.stderr) if json else nullcontext():
            measured, failed = measure(laboratory, found.bundle, parts, report, verbose)
    conclude(found, measured, failed, json)


def check_file(path: Path, console: Console, json: bool) -> ExaminedBundle:
    """Return the bundle in a file, and print what was checked. Raises DataError if its verdicts do not follow."""
    from rosettabench.evidence.examination import examine
    from rosettabench.report.formats.repetition import print_check

    found = examine(path)
    print_check(found, console, json)
    if found.differences:
        raise DataError(
            f"{len(found.differences)} of the stated verdicts do not follow from the blocks in the bundle: see above",
            f"It was made with Rosettabench {found.bundle.run.rosettabench}; if that is older, check it with that.",
        )
    return found


def measure(
    laboratory: Laboratory, bundle: Bundle, parts: ReadersParts, report: Path | None, verbose: bool
) -> tuple[Run, WorkerError | None]:
    """Measure the contests of a bundle here. Return the run, and the error if some contenders failed.

    What cannot be equal is refused first.
    """
    from rosettabench.evidence.repetition import check_data, check_locks, plan_here, request_here
    from rosettabench.evidence.surroundings import code_differences, machine_differences
    from rosettabench.report.formats.repetition import print_differences

    check_locks(bundle)
    request = request_here(bundle, parts)
    plan = plan_here(bundle, request, parts.threads)
    print_differences([*machine_differences(bundle), *code_differences(bundle, plan)], out(True))
    with laboratory.display as shown:
        check_data(bundle, plan, request, laboratory.cache, shown.doing)
    started = begin(laboratory, request)
    try:
        conduct(laboratory, started, report, printer(verbose))
    except WorkerError as error:
        return laboratory.store.run(started.id), error
    return laboratory.store.run(started.id), None


def stored_repetition(laboratory: Laboratory, bundle: Bundle, run: str, threads: int | None) -> Run:
    """Return a stored run after checking that it has the contests of a bundle."""
    from rosettabench.evidence.repetition import check_shapes, shapes_of_run

    found = laboratory.store.run(run)
    if found.id == bundle.run.id:
        raise UsageError(f"run {found.id} is the run of the bundle, not a repetition", "Leave --run out to make one.")
    check_shapes(bundle, shapes_of_run(found), threads)
    return found


def conclude(found: ExaminedBundle, measured: Run, failed: WorkerError | None, json: bool) -> None:
    """Print which verdicts hold, and raise the error that the exit code follows from."""
    from rosettabench.evidence.outcome import Holding, compare_verdicts, number_of
    from rosettabench.evidence.surroundings import entry_differences, machine_differences
    from rosettabench.report.formats.record import as_json
    from rosettabench.report.formats.repetition import print_differences, print_repetition

    verdicts = compare_verdicts(found.bundle, measured)
    differences = [*machine_differences(found.bundle, measured.machine), *entry_differences(found.bundle, measured)]
    if json:
        told = {"bundle": found.bundle.run.id, "sha256": found.sha256, "repetition": measured.id}
        typer.echo(as_json({**told, "verdicts": verdicts, "differences": differences}))
    else:
        print_differences(differences, out(False))
        print_repetition(verdicts, measured.id, out(False))
    contradicted, undecided = (number_of(verdicts, one) for one in (Holding.CONTRADICTED, Holding.UNDECIDED))
    if contradicted:
        raise Contradicted(f"{contradicted} of the bundle's verdicts do not hold here", AGAIN)
    if failed is not None:
        raise failed
    if undecided:
        raise Undecided(f"{undecided} of the bundle's verdicts are undecided here", AGAIN)


def check_statement(bundle: Bundle) -> None:
    """Raise Undecided if a bundle states no verdict that could hold: then there is nothing to measure."""
    from rosettabench.statistics.verdict import Finding

    if all(one.finding is Finding.OPEN for judgement in bundle.judgements for one in judgement.verdicts):
        raise Undecided("the bundle states no verdict that could hold: its run decided no pair", "Measure for longer.")


def out(beside: bool) -> Console:
    """Return the console of the result; that of standard error for what stands beside it."""
    from rich.console import Console as RichConsole

    from rosettabench.cli.console import console

    return RichConsole(stderr=True, markup=False, highlight=False) if beside else console()
