"""Check that an environment matches its lock, and that its framework can be imported."""

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
    """Something wrong with an environment: the subject (a package, a program), and what is wrong with it."""

    subject: str
    what: str


def compare(lock: Lock, packages: Mapping[str, str]) -> list[EnvironmentFinding]:
    """Return where `packages` (name → version) differ from the lock, ignoring packages that it does not list."""
    installed: dict[str, str] = {canonicalize_name(name): version for name, version in packages.items()}
    findings = []
    for name, pin in lock.pins.items():
        if name not in installed:
            findings.append(EnvironmentFinding(name, f"is not installed; the lock has {pin}"))
        elif not agrees(pin, installed[name]):
            findings.append(EnvironmentFinding(name, f"is version {installed[name]}; the lock has {pin}"))
    return findings


def agrees(pin: Requirement, version: str) -> bool:
    """Return whether an installed version is the one that a lock asks for.

    A post-release only repairs the packaging, and its metadata may have the version of the release: 2.7.post2 in CNTK's
    index says that it is 2.7.
    """
    pinned = Version(next(iter(pin.specifier)).version)
    return pin.specifier.contains(version, prereleases=True) or (
        pinned.is_postrelease and Version(version) == Version(pinned.base_version)
    )


def missing_programs(lock: Lock) -> list[EnvironmentFinding]:
    """Return the programs that the lock needs and PATH lacks."""
    return [EnvironmentFinding(program, "is not on PATH") for program in lock.needs if shutil.which(program) is None]


def imports(
    python: Path,
    modules: Iterable[str],
    time_limit_s: float = IMPORT_LIMIT_S,
    variables: Mapping[str, str] | None = None,
) -> list[EnvironmentFinding]:
    """Import each module in a new interpreter; return those that fail, or exceed the time limit.

    `variables` are added to the environment variables of this process.
    """
    findings = []
    for module in modules:
        try:
            source = f"import sys; sys.path[:] = filter(None, sys.path); import {module}"
            start(python, ["-c", source], time_limit_s, variables)
        except EnvironmentFault as fault:
            findings.append(EnvironmentFinding(module, f"cannot be imported: {fault.what}"))
    return findings
