"""``rosetta peak``: measure the ceilings of this machine, so that reports can state the share that contenders reach."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_contenders
from rosettabench.cli.laboratory import open_laboratory
from rosettabench.cli.options import Json, StoreUrl, Threads, Timeout, split
from rosettabench.errors import FailureKind, UsageError, WorkerError
from rosettabench.plan.duration import LONGEST_S

if TYPE_CHECKING:
    from rosettabench.ceilings.bench import BenchLibrary
    from rosettabench.lab.run import Laboratory


Measured = Annotated[
    list[str] | None,
    typer.Option(
        "--frameworks",
        "-f",
        help="Contenders, separated by commas; by default all whose environments are installed.",
        autocompletion=complete_contenders,
    ),
]
Precisions = Annotated[
    list[str] | None,
    typer.Option(
        "--precision", help="Precisions of products, separated by commas; by default all.", show_default=False
    ),
]
Device = Annotated[str, typer.Option(help="cpu or cuda.")]
Seconds = Annotated[
    float,
    typer.Option(
        help="Seconds of measuring, without the start of workers and the preparation of matrices.", min=1, max=LONGEST_S
    ),
]

Interpreter = Annotated[
    Path | None,
    typer.Option("--python", help="Measure the libraries of this interpreter instead of managed environments."),
]


def peak(
    frameworks: Measured = None,
    precision: Precisions = None,
    threads: Threads = None,
    device: Device = "cpu",
    seconds: Seconds = 40.0,
    python: Interpreter = None,
    as_json: Json = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
) -> None:
    """Measure what this machine can do: products and copies.

    Every library, and NumPy alone, multiplies matrices in all its precisions, and copies an array far larger than the
    caches. The highest rate is the machine's ceiling. Reports of runs on this machine then state the share of it that
    each contender reaches.

    Example: rosetta peak
    Example: rosetta peak -f pytorch,jax --threads 1 --precision float32
    """
    from rosettabench.catalogue.names import nearest
    from rosettabench.ceilings.bench import baseline
    from rosettabench.ceilings.measured import MeasuredCeilings
    from rosettabench.ceilings.peak import Peak, Works
    from rosettabench.ceilings.precision import SIGNIFICANDS
    from rosettabench.cli.console import console
    from rosettabench.report.formats.ceilings import ceilings_record, print_ceilings
    from rosettabench.resources.processors import usable_cores

    nearest("device", device, ("cpu", "cuda"))
    named = [nearest("precision", word, SIGNIFICANDS) for word in split(precision)]
    every = [name for name in SIGNIFICANDS if device != "cpu" or name != "tf32"]
    ways = ("memory",) if device == "cpu" else ("memory", "to_device", "from_device")
    works = Works(tuple(dict.fromkeys(named or every)), ways, threads or usable_cores(), device, seconds)
    laboratory = open_laboratory(store)
    with laboratory.display:
        chosen = libraries(split(frameworks), python, laboratory)
        if device == "cpu":
            chosen.append(baseline())
        run = Peak(laboratory.store, laboratory.display, works, timeout).measure(chosen, ["rosetta", *sys.argv[1:]])
    measured = MeasuredCeilings.of(run)
    if as_json:
        typer.echo(json.dumps(ceilings_record(measured), indent=1))
    else:
        print_ceilings(measured, console())
    if run.failures:
        first = run.failures[0]
        raise WorkerError(FailureKind.INCOMPLETE, f"not everything could be measured: {first.what}", first.hint)


def libraries(named: tuple[str, ...], python: Path | None, laboratory: Laboratory) -> list[BenchLibrary]:
    """Return the libraries to measure: the named contenders, with environments made; otherwise all made environments.

    Raises UsageError for an unknown name, or if no environment is made, and EnvironmentFault if one cannot be made.
    """
    from rosettabench.catalogue.contender import parse_contender
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.ceilings.bench import BenchLibrary
    from rosettabench.environments.environment import Environments, external
    from rosettabench.environments.lock import all_locks, load_lock

    environments = Environments(laboratory.cache / "environments")
    found: list[BenchLibrary] = []
    made = {lock.name for lock in all_locks() if environments.find(lock)}
    here = tuple(
        name for name, entry in competing_frameworks().items() if entry.locks[0] in made and entry.exported is None
    )
    contenders = [parse_contender(word, python) for word in named or here]
    exported = next((one.framework for one in contenders if one.entry.exported), None)
    if exported is not None:
        raise UsageError(f"{exported} runs exported models, and multiplies no matrices by themselves", "Leave it out.")
    twice = [label for label, times in Counter(one.label for one in contenders).items() if times > 1]
    if twice:
        raise UsageError(f"{', '.join(twice)} is named twice", "Leave one of the two out.")
    for contender in contenders:
        if contender.python is not None:
            environment = external(contender.python)
        else:
            environment = environments.make(load_lock(str(contender.lock)), laboratory.display.doing)
        found.append(BenchLibrary(contender, environment))
    if not found:
        raise UsageError("no framework is installed here yet", "Name one: rosetta peak -f pytorch")
    return found
