"""``rosetta prove``: prove equal work, without measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_workloads
from rosettabench.cli.laboratory import begin, open_laboratory, resume_command
from rosettabench.cli.options import Axes, DataDir, Frameworks, Offline, Python, StoreUrl, Timeout, split
from rosettabench.errors import EnvironmentFault, ProofError, UsageError

if TYPE_CHECKING:
    from rosettabench.catalogue.contender import Contender
    from rosettabench.catalogue.workload import Workload
    from rosettabench.plan.request import ProveRequest
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store

Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Proofs at the same time. Each has an equal share of the processors, unless --set threads says otherwise.",
        show_default="one for each processor",
    ),
]

MANY = 20
"""The number of cells from which only unproven ones are printed."""

EAGER = "eager"
"""The mode without compilation, which needs no compiler."""


Named = Annotated[list[str] | None, typer.Argument(help="Workloads.", autocompletion=complete_workloads)]
Every = Annotated[bool, typer.Option("--all", help="Every workload in every framework, release and mode.")]
Missing = Annotated[
    bool, typer.Option("--missing", help="Only cells without a certificate; of every workload if none is named.")
]
Register = Annotated[bool, typer.Option("--register", help="Enter the proofs into the repository's register.")]
Sample = Annotated[
    int | None,
    typer.Option(
        help="Only this number of cells, drawn at random (--draw); of every workload if none is named.", min=1
    ),
]
Draw = Annotated[str, typer.Option(help="The seed of --sample: any text.")]
Time = Annotated[str | None, typer.Option(help="Start no new proof after this time, such as 10m or 1h.")]


def prove(
    workloads: Named = None,
    frameworks: Frameworks = None,
    every: Every = False,
    missing: Missing = False,
    register: Register = False,
    sample: Sample = None,
    draw: Draw = "",
    budget: Time = None,
    axes: Axes = None,
    jobs: Jobs = None,
    python: Python = None,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
) -> None:
    """Prove equal work, and print the certificates.

    Every contender takes some optimiser steps, which are compared with a float64 reference. The certificate lists the
    check nearest to its tolerance for each quantity; a failed one names the first tensor that diverges and the likely
    cause. A certificate holds only for its number of threads: -j 1 proves with all of them, as rosetta run measures.
    --missing proves cells without a certificate in your store; with --register, those without a current register line.

    Example: rosetta prove imdb-gru -f pytorch,jax,mxnet-gluon:compiled
    Example: rosetta prove --missing --budget 10m
    """
    from rosettabench.plan.duration import read_duration
    from rosettabench.plan.request import ProveRequest, Terms

    asked, named = chosen_names(
        workloads, split(frameworks), every or ((missing or sample is not None) and not workloads)
    )
    only = chosen_cells(asked, named, missing and register, sample, draw) if register or sample else ()
    if only is None:
        typer.echo("Everything is proven already.")
        return
    terms = Terms.read(axes, data_dir, offline, timeout, python)
    together, cores = share_cores(jobs, terms.axes)
    request = ProveRequest(
        **vars(terms),
        workloads=asked,
        contenders=named,
        only=only,
        jobs=together,
        cores=cores,
        prove_again=not missing,
        budget=read_duration(budget) if budget else None,
    )
    make_proofs(request, register, store)


def share_cores(jobs: int | None, axes: Mapping[str, Sequence[int | str]]) -> tuple[int, int]:
    """Return how many proofs go on at a time, by default as many as fit, and the processors of each."""
    from rosettabench.plan.setting import most_devices
    from rosettabench.resources.processors import usable_cores

    together = jobs or max(1, usable_cores() // most_devices(axes))
    return together, max(1, usable_cores() // together)


def chosen_names(
    workloads: Sequence[str] | None, contenders: tuple[str, ...], whole: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the workloads and contenders to prove; all of them for the `whole` catalogue.

    Raises UsageError if the options contradict each other, or select nothing.
    """
    from rosettabench.catalogue.contender import every_contender
    from rosettabench.catalogue.suite import MAIN, find_suite
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.plan.own import absolute_path, own_contenders

    if whole == bool(workloads):
        raise UsageError("name the workloads to prove, or give --all", "Example: rosetta prove imdb-gru -f pytorch,jax")
    asked = tuple(map(absolute_path, workloads or all_workloads()))
    usual = tuple(one.label for one in every_contender()) if whole else find_suite(MAIN).contenders
    return asked, contenders or own_contenders(asked) or usual


def make_proofs(request: ProveRequest, register: bool, store: str | None) -> None:
    """Make the proofs of a request, enter them into the register if `register`, and print the certificates."""
    from rosettabench.proof.register import enter_run

    laboratory = open_laboratory(store)
    run = begin(laboratory, request)
    try:
        with laboratory.display:
            laboratory.go_on(run)
    finally:
        if register:
            typer.echo(f"{enter_run(laboratory.store.run(run.id))} lines of the register are written", err=True)
    tell(laboratory.store, laboratory.store.run(run.id))


def chosen_cells(
    workloads: Sequence[str], contenders: Sequence[str], stale: bool, sample: int | None, draw: str
) -> tuple[tuple[str, str], ...] | None:
    """Return the selected cells of our own catalogue: those `stale` in the register, or a sample; None for no cell.

    Cells that cannot be proven on this machine are left out and reported.
    """
    from rosettabench.catalogue.contender import parse_contender
    from rosettabench.proof.register import cell_key, draw_cells, every_cell, is_current, read_register

    known = read_register()
    labels = {parse_contender(text).label for text in contenders}

    def is_meant(workload: Workload, contender: Contender) -> bool:
        """Return whether a cell is to be proven."""
        if workload.name not in workloads or contender.label not in labels:
            return False
        return not stale or not is_current(known.get(cell_key(workload, contender)), workload, contender)

    cells = [cell for cell in every_cell() if is_meant(*cell)]
    contenders_of = {contender.label: contender for _, contender in cells}
    here = {label for label, contender in contenders_of.items() if can_prove(contender)}
    able = [cell for cell in cells if cell[1].label in here]
    if len(able) < len(cells):
        why = "this machine lacks their Python, or a program that they need"
        typer.echo(f"Left out: {len(cells) - len(able)} cells, as {why}: rosetta doctor says which.", err=True)
    if sample is not None:
        able = draw_cells(sample, draw, able, known)
    return tuple((workload.name, contender.label) for workload, contender in able) or None


def can_prove(contender: Contender) -> bool:
    """Return whether this machine has the Python of a contender, and the compiler if it needs one."""
    from rosettabench.environments.check import missing_programs
    from rosettabench.environments.interpreter import find_interpreter
    from rosettabench.environments.lock import load_lock

    lock = load_lock(str(contender.lock))
    try:
        find_interpreter(lock.python)
    except EnvironmentFault:
        return False
    return contender.mode == EAGER or not missing_programs(lock)


def tell(store: Store, run: Run) -> None:
    """Print the certificates of a run in `store`; for many cells, those of unproven ones and a count.

    Raises ProofError if a proof failed or did not finish.
    """
    from rosettabench.cli.console import console
    from rosettabench.report.formats.certificates import print_certificate
    from rosettabench.summary.run import summarise

    cells = [(contest, entry) for contest in summarise(run).contests for entry in contest.entries]
    begun = [(contest, entry) for contest, entry in cells if entry.proof.key is not None or entry.faults]
    out = console()
    for contest, entry in begun:
        if len(begun) <= MANY or not entry.proof.holds:
            print_certificate(contest, entry, out)
    proven = sum(entry.proof.holds for _, entry in begun)
    if len(begun) > MANY:
        typer.echo(f"{proven} of {len(begun)} cells are proven.")
    if len(begun) < len(cells):
        late = len(cells) - len(begun)
        typer.echo(f"No time was left for {late} {'cell' if late == 1 else 'cells'}: {resume_command(store, run.id)}")
    if proven < len(begun):
        raise ProofError("not every contender is proven: see above")
