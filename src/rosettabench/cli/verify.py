"""``rosetta verify``: check whether an installation is as fast as it should be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.laboratory import begin, open_laboratory, resume_command
from rosettabench.cli.options import (
    Axes,
    DataDir,
    EachConfidence,
    Frameworks,
    Json,
    MostRounds,
    Offline,
    OneRound,
    OneWorkload,
    StoreUrl,
    Timeout,
    split,
)
from rosettabench.errors import EnvironmentFault, FailureKind, ProofError, Slower, Undecided, UsageError, WorkerError
from rosettabench.plan.duration import LONGEST_S
from rosettabench.store.record import Phase

if TYPE_CHECKING:
    from rosettabench.catalogue.contender import Contender
    from rosettabench.lab.run import Laboratory
    from rosettabench.plan.request import VerifyRequest
    from rosettabench.store.store import Store
    from rosettabench.verify.verification import Verification

Installed = Annotated[
    Path | None,
    typer.Option(
        "--python", help="The interpreter whose frameworks are verified; by default that of the active environment."
    ),
]
Seconds = Annotated[
    float, typer.Option(help="Measure each framework for at most this number of seconds.", min=1, max=LONGEST_S)
]
Slowness = Annotated[float, typer.Option(help="How much slower it may be, as a share.", min=0.01, max=1)]


def verify(
    workload: OneWorkload = "fashion-mlp",
    python: Installed = None,
    frameworks: Frameworks = None,
    axes: Axes = None,
    seconds: Seconds = 30.0,
    rounds: MostRounds = 60,
    round_seconds: OneRound = 0.5,
    margin: Slowness = 0.1,
    confidence: EachConfidence = 0.95,
    json: Json = False,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
) -> None:
    """Say whether an installation is as fast as it should be.

    Each framework of the interpreter takes turns with the managed release of the same version, and is compared with its
    earlier runs on this machine; its matrix products are compared with the machine's ceiling. If it is slow, the
    command lists settings that it read and that are known to slow a framework down.

    Exit codes: 0 as it should be, 5 not proven, 7 cannot be measured, 8 slow, 9 not decided.

    Example: rosetta verify --python /my/venv/bin/python
    Example: rosetta verify imdb-gru --python /my/venv/bin/python -f pytorch:compiled
    """
    from rosettabench.plan.request import Terms, VerifyRequest
    from rosettabench.plan.stopping import stopping_of_verify
    from rosettabench.verify.installed import choose_contenders

    place = (python or active_python()).absolute()
    request = VerifyRequest(
        **vars(Terms.read(axes, data_dir, offline, timeout)),
        workloads=(workload,),
        stopping=stopping_of_verify(rounds, seconds, round_seconds, margin),
        confidence=confidence,
        margin=margin,
    )
    laboratory = open_laboratory(store)
    subjects = choose_contenders(workload, place, split(frameworks))
    found = [verify_contender(laboratory, request, one, packages) for one, packages in subjects]
    show(found, json)
    judge(found, place, laboratory.store)


def active_python() -> Path:
    """Return the interpreter of the active virtual environment, or the first ``python3`` on PATH."""
    active = os.environ.get("VIRTUAL_ENV")
    beside = Path(active) / "bin" / "python" if active else None
    if beside is not None and beside.exists():
        return beside
    first = shutil.which("python3")
    if first is None:
        raise EnvironmentFault("there is no python3 on PATH", "Name an interpreter with --python.")
    return Path(first)


def verify_contender(
    laboratory: Laboratory, request: VerifyRequest, one: Contender, packages: dict[str, str]
) -> Verification:
    """Let an installation take turns with its managed release, and return the findings."""
    from rosettabench.ceilings.bench import BenchLibrary
    from rosettabench.environments.environment import external
    from rosettabench.verify.hardware import read_hardware
    from rosettabench.verify.installed import counterpart, is_debug_build, version_of
    from rosettabench.verify.roof import measure_roof
    from rosettabench.verify.verification import VerifiedSubject, verification

    assert one.python is not None  # parse_contender was given one
    other = counterpart(one.entry, packages)
    names = [f"{one.framework}@{one.python}:{one.mode}"]
    if other is not None:
        names.append(f"{one.framework}@{other.release}:{one.mode}")
    run = begin(laboratory, request.model_copy(update={"contenders": tuple(names)}))
    with laboratory.display:
        laboratory.go_on(run)
        done = laboratory.store.run(run.id)
        timed = any(block.phase == Phase.TURN for block in done.contests[0].entries[0].blocks)
        library = BenchLibrary(one, external(one.python))
        setting = done.contests[0].setting
        roof = measure_roof(laboratory, library, setting, request.timeout, run.command) if timed else None
    subject = VerifiedSubject(
        version_of(one.entry, packages), other, is_debug_build(one.python), roof, one.entry.most_threads
    )
    return verification(laboratory.store, done, subject, read_hardware(), request.margin)


def show(found: Sequence[Verification], json: bool) -> None:
    """Print the findings, for people or as JSON."""
    from rosettabench.cli.console import console
    from rosettabench.report.formats.record import as_json
    from rosettabench.report.formats.verification import print_verification

    if json:
        typer.echo(as_json({"verifications": found}))
        return
    for one in found:
        print_verification(one, console())


def judge(found: Sequence[Verification], python: Path, store: Store) -> None:
    """Raise the error of the worst finding, since scripts read the exit code. The runs are in `store`."""
    from rosettabench.report.words.enumeration import enumerate_words
    from rosettabench.store.command import on_store
    from rosettabench.verify.verification import InstallationStanding

    def labels(some: list[Verification]) -> str:
        """Return the labels of some verifications as a list in words."""
        return enumerate_words([one.label for one in some])

    if bad := [one for one in found if one.unproven]:
        raise ProofError(f"not proven to do equal work: {labels(bad)}", "rosetta prove shows where it diverges.")
    if bad := [one for one in found if one.fault]:
        again = resume_command(store, bad[0].run)
        raise WorkerError(FailureKind.INCOMPLETE, f"could not be measured: {labels(bad)}", again)
    if bad := [one for one in found if one.standing is InstallationStanding.SLOW]:
        whole = on_store(f"rosetta report {bad[0].run}", store)
        raise Slower(f"slower than it should be: {labels(bad)}", f"{whole} shows the whole contest.")
    if bad := [one for one in found if one.standing is not InstallationStanding.RIGHT]:
        raise Undecided(f"not decided: {labels(bad)}", "Measure longer: --seconds 120 --rounds 400.")
    if not found:
        raise UsageError(f"{python} has nothing to verify", "rosetta list frameworks shows what could be.")
