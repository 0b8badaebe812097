"""``rosetta prove``: prove equal work, without measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_workloads
from rosettabench.cli.laboratory import begin, open_laboratory, resume_command
from rosettabench.cli.options import Axes, DataDir, Frameworks, Offline, Python, StoreUrl, Timeout, split
from rosettabench.errors import ProofError

if TYPE_CHECKING:
    from rosettabench.plan.request import ProveRequest
    from rosettabench.proof.selection import SelectedCells
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
    from rosettabench.plan.proofs import choose_names, share_cores
    from rosettabench.plan.request import ProveRequest, Terms
    from rosettabench.proof.selection import select_cells

    whole = every or ((missing or sample is not None) and not workloads)
    asked, named = choose_names(workloads, split(frameworks), whole)
    selected = select_cells(asked, named, missing and register, sample, draw) if register or sample else None
    if selected is not None and not announce_cells(selected):
        return
    terms = Terms.read(axes, data_dir, offline, timeout, python)
    together, cores = share_cores(jobs, terms.axes)
    request = ProveRequest(
        **vars(terms),
        workloads=asked,
        contenders=named,
        only=selected.cells if selected else (),
        jobs=together,
        cores=cores,
        prove_again=not missing,
        budget=read_duration(budget) if budget else None,
    )
    make_proofs(request, register, store)


def announce_cells(selected: SelectedCells) -> bool:
    """Say which cells are left out, and if there is nothing to prove; return whether there is something."""
    if selected.left_out:
        why = "this machine has too few processors for their devices, or lacks their Python or a program that they need"
        typer.echo(f"Left out: {selected.left_out} cells, as {why}. rosetta doctor says what is missing.", err=True)
    if not selected.cells:
        typer.echo("Everything is proven already.")
    return bool(selected.cells)


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
