"""Whether an environment is what its lock says, and whether its framework can be imported."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from rosettabench.environments.lock import Lock
from rosettabench.environments.probe import start
from rosettabench.errors import EnvironmentFault

IMPORT_LIMIT_S = 300
"""The slowest import measured, Keras on three back ends, takes 26 s with a cold disk."""


@dataclass(frozen=True)
class EnvironmentFinding:
    """Something wrong with an environment: what it is about (a package, a program), and what is wrong with it."""

    subject: str
    what: str


def compare(lock: Lock, packages: Mapping[str, str]) -> list[EnvironmentFinding]:
    """Return where `packages` (name to version) differ from the lock; packages beyond it are no difference."""
    installed: dict[str, str] = {canonicalize_name(name): version for name, version in packages.items()}
    findings = []
    for name, pin in lock.pins.items():
        if name not in installed:
            findings.append(EnvironmentFinding(name, f"is not installed; the lock has {pin}"))
        elif not agrees(pin, installed[name]):
            findings.append(EnvironmentFinding(name, f"is version {installed[name]}; the lock has {pin}"))
    return findings


def agrees(pin: Requirement, version: str) -> bool:
    """Whether an installed version is the one that a lock asks for.

    A post release mends how a release was packed, and may still call itself by the release: what CNTK's index has as
    2.7.post2 says in its own metadata that it is 2.7.
    """
    pinned = Version(next(iter(pin.specifier)).version)
    return pin.specifier.contains(version, prereleases=True) or (
        pinned.is_postrelease and Version(version) == Version(pinned.base_version)
    )


def missing_programs(lock: Lock) -> list[EnvironmentFinding]:
    """Return the programs that the lock needs and that are not on PATH."""
    return [EnvironmentFinding(program, "is not on PATH") for program in lock.needs if shutil.which(program) is None]


def imports(
    python: Path,
    modules: Iterable[str],
    time_limit_s: float = IMPORT_LIMIT_S,
    variables: Mapping[str, str] | None = None,
) -> list[EnvironmentFinding]:
    """Import each of the modules in a fresh interpreter; return those that cannot be, or not within the limit.

    `variables` are environment variables that it is started with, beside those of this process.
    """
    findings = []
    for module in modules:
        try:
            source = f"import sys; sys.path[:] = filter(None, sys.path); import {module}"
            start(python, ["-c", source], time_limit_s, variables)
        except EnvironmentFault as fault:
            findings.append(EnvironmentFinding(module, f"cannot be imported: {fault.what}"))
    return findings
