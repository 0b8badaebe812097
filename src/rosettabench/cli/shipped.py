"""``rosetta shipped``: time complete trainings by libraries as they are shipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_libraries, complete_sets
from rosettabench.cli.laboratory import begin, open_laboratory, printer, publish, resume_command
from rosettabench.cli.options import DataDir, Offline, Page, StoreUrl, Threads, split
from rosettabench.data.choice import DataChoice
from rosettabench.errors import FailureKind, UsageError, WorkerError
from rosettabench.plan.duration import LONGEST_S
from rosettabench.plan.trainings import EPOCHS, SAMPLES, SEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rosettabench.lab.run import Laboratory
    from rosettabench.store.schema import Run


Sets = Annotated[
    list[str] | None,
    typer.Argument(
        help="Sets of the Monash archive; without it, all sets of the study that are found.",
        autocompletion=complete_sets,
    ),
]


Libraries = Annotated[
    list[str] | None,
    typer.Option(
        "--frameworks",
        "-f",
        help="Libraries, separated by commas; by default all.",
        autocompletion=complete_libraries,
    ),
]
STUDY_SEEDS = ",".join(map(str, SEEDS))
Seeds = Annotated[str, typer.Option(help="Seeds, separated by commas: one training each.")]
Epochs = Annotated[int, typer.Option(help="Epochs of a training; the study's, or fewer.", min=1)]
Samples = Annotated[int, typer.Option(help="Sample paths of each series.", min=1)]
Time = Annotated[
    str | None, typer.Option(help="Time for everything, such as 10m or 1h; fewer epochs or seeds if needed.")
]
Long = Annotated[bool, typer.Option("--long", help="Also train where building a graph takes minutes or may never end.")]
WhichData = Annotated[DataChoice, typer.Option(help="real: no stand-in. synthetic: stand-in only.")]
TrainingTimeout = Annotated[
    float, typer.Option(help="Seconds after which an unfinished training is stopped.", min=1, max=LONGEST_S)
]


def shipped(
    sets: Sets = None,
    libraries: Libraries = None,
    seeds: Seeds = STUDY_SEEDS,
    epochs: Epochs = EPOCHS,
    samples: Samples = SAMPLES,
    budget: Time = None,
    threads: Threads = None,
    long: Long = False,
    data: WhichData = DataChoice.FOUND,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: TrainingTimeout = 7200.0,
    store: StoreUrl = None,
    report: Page = None,
) -> None:
    """Let libraries train as they are shipped: not equal work.

    GluonTS's own DeepAR on PyTorch and on MXNet, each with its own defaults, take turns at complete trainings, seed by
    seed. Parsing, training, prediction and evaluation are timed separately. The differences between the two are read
    from their code. Nothing is ranked. Each finished training is stored: after Ctrl-C, `rosetta resume` continues.

    Example: rosetta shipped hospital tourism_monthly --budget 20m
    Example: rosetta shipped hospital --seeds 42,43 --epochs 5 --threads 1
    """
    from rosettabench.plan.duration import read_duration
    from rosettabench.plan.request import TrainingRequest
    from rosettabench.resources.processors import usable_cores
    from rosettabench.shipped.library import all_libraries, find_library

    names = dict.fromkeys(find_library(name).name for name in split(libraries))
    request = TrainingRequest(
        sets=known_sets(sets) if sets else sets_at_hand(data_dir, stand_ins=data is DataChoice.SYNTHETIC),
        libraries=tuple(names or all_libraries()),
        seeds=read_seeds(seeds),
        epochs=epochs,
        samples=samples,
        threads=threads or usable_cores(),
        budget=read_duration(budget) if budget else None,
        long=long,
        timeout=timeout,
        data_dir=str(data_dir.absolute()) if data_dir else None,
        data=data.value,
        offline=offline,
    )
    laboratory = open_laboratory(store)
    race(laboratory, begin(laboratory, request), report)


def known_sets(names: Iterable[str]) -> tuple[str, ...]:
    """Return the named sets, each once. Raises UsageError for an unknown one."""
    from rosettabench.data.series.monash import monash_set

    return tuple(dict.fromkeys(monash_set(name).key for name in names))


def sets_at_hand(data_dir: Path | None, *, stand_ins: bool) -> tuple[str, ...]:
    """Return the study's sets whose files are available; all of them if `stand_ins` are asked for."""
    from rosettabench.data.find import obtainable
    from rosettabench.data.series.monash import all_monash_sets
    from rosettabench.places import cache_dir

    of_study = [one for one in all_monash_sets().values() if one.study]
    found = tuple(one.key for one in of_study if stand_ins or obtainable(one, data_dir, cache_dir(), offline=True))
    if not found:
        raise UsageError(
            "no set of the Monash archive was found",
            "Name a folder that holds .tsf files with --data-dir, or a set: rosetta shipped hospital",
        )
    return found


def read_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds of a text such as ``42,43``, each once. Raises UsageError for anything else."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    wrong = [word for word in words if not (word.isascii() and word.isdigit() and int(word) < 2**32)]
    if wrong or not words:
        raise UsageError(f"{(wrong or [text])[0]!r} is not a seed", "Write whole numbers from 0 on: --seeds 42,43.")
    return tuple(dict.fromkeys(map(int, words)))


def race(laboratory: Laboratory, started: Run, page: Path | None) -> None:
    """Do the rest of a run of trainings and report it, even if it fails or is interrupted."""
    from rosettabench.shipped.race import Race
    from rosettabench.shipped.results import Results

    try:
        with laboratory.display:
            finished = Race(laboratory.store, laboratory.cache, laboratory.display).go_on(started)
    except KeyboardInterrupt as interruption:
        typer.echo("", err=True)
        publish(laboratory.store, laboratory.store.run(started.id), page, printer(verbose=False))
        again = resume_command(laboratory.store, started.id)
        interruption.add_note(f"interrupted; finished trainings are kept. Continue with: {again}")
        raise
    publish(laboratory.store, finished, page, printer(verbose=False))
    if any(one.is_failure for one in Results.of(finished).absences.values()):
        raise WorkerError(
            FailureKind.INCOMPLETE,
            "not every training could be done: see above",
            f"{resume_command(laboratory.store, finished.id)} tries those that failed again.",
        )
