"""``rosetta prove``: certificates, without a measurement."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rosettabench.cli.completion import complete_workloads
from rosettabench.cli.run import Axes, DataDir, Frameworks, Offline, Python, StoreUrl, Timeout, open_laboratory, split
from rosettabench.errors import ProofError, UsageError

Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Proofs at the same time. Each has its share of the processors, if --set threads says nothing else.",
        show_default="one for each processor",
    ),
]


def prove(
    workloads: Annotated[list[str] | None, typer.Argument(help="Workloads.", autocompletion=complete_workloads)] = None,
    frameworks: Frameworks = None,
    every: Annotated[bool, typer.Option("--all", help="Every workload in every framework, release and mode.")] = False,
    missing: Annotated[bool, typer.Option("--missing", help="Only what no certificate stands for.")] = False,
    axes: Axes = None,
    jobs: Jobs = None,
    python: Python = None,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
) -> None:
    """Prove equal work, and print the certificates.

    Every contender takes ten optimiser steps beside a float64 reference. The certificate lists, for each quantity, the
    number that came closest to its tolerance; a failed one names the first tensor that diverges and the likely cause.
    A certificate holds for its number of threads, too: -j 1 proves with all of them, as rosetta run measures. It stands
    as long as nothing has changed that it depends on; --missing proves what has none.

    Example: rosetta prove imdb-gru -f pytorch,jax,mxnet-gluon:compiled
    """
    from rosettabench.catalogue.contender import every_contender
    from rosettabench.catalogue.suite import MAIN, find_suite
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.cli.console import console
    from rosettabench.lab.machine import usable_cores
    from rosettabench.plan.request import Request
    from rosettabench.plan.setting import read_axes
    from rosettabench.report.certificates import print_certificates

    if every == bool(workloads):
        raise UsageError("name the workloads to prove, or give --all", "Example: rosetta prove imdb-gru -f pytorch,jax")
    together = jobs or usable_cores()
    shared = {"threads": [max(1, usable_cores() // together)]}
    cells = tuple(one.label for one in every_contender())
    laboratory = open_laboratory(store)
    request = Request(
        workloads=tuple(workloads or all_workloads()),
        contenders=split(frameworks) or (cells if every else find_suite(MAIN).contenders),
        python=str(python) if python else None,
        axes=shared | read_axes(axes or []),
        control=False,
        insist=True,
        prove_again=not missing,
        proving=together,
        data_dir=str(data_dir.absolute()) if data_dir else None,
        offline=offline,
        timeout=timeout,
    )
    run = laboratory.begin(request, ["rosetta", *sys.argv[1:]])
    with laboratory.display:
        laboratory.go_on(run)
    if not print_certificates(laboratory.store.run(run.id), console()):
        raise ProofError("not every contender is proven: see above")
