"""Find the frameworks that an interpreter has, and the managed release to compare each with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from rosettabench.catalogue.contender import Contender, parse_contender
from rosettabench.catalogue.framework import FrameworkEntry, competing_frameworks
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.environments.environment import external
from rosettabench.environments.lock import all_locks, load_lock
from rosettabench.environments.probe import TIME_LIMIT_S, start
from rosettabench.errors import EnvironmentFault

SOURCE = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import importlib.util, json
def has(name):
    package = name.rpartition(".")[0]  # which must be there, or find_spec fails
    return (not package or has(package)) and importlib.util.find_spec(name) is not None
print("\\n" + json.dumps([name for name in sys.argv[1:] if has(name)]))
"""
"""A program that prints which modules could be imported, without importing them: TensorFlow alone takes ten seconds.

Of ``mlx.core`` it imports ``mlx``.
"""

ALSO = {"tensorflow": ("tensorflow-cpu", "intel-tensorflow"), "mxnet": ("mxnet-mkl", "mxnet-cu112", "mxnet-cu102")}
"""Other distributions that provide a module."""


@dataclass(frozen=True)
class Counterpart:
    """The managed release to compare an installation with; `release` is written as in contenders, "2.13.0".

    `same` is false if no lock has the installed version; then this is the nearest.
    """

    release: str
    version: str
    same: bool


def modules_of(python: Path, modules: Sequence[str]) -> set[str]:
    """Return which of these modules an interpreter has; raise EnvironmentFault if it does not start."""
    output = start(python, ["-c", SOURCE, *modules], TIME_LIMIT_S)
    try:
        return set(json.loads(output.splitlines()[-1]))
    except (ValueError, IndexError) as error:
        raise EnvironmentFault(f"{python} started, but did not answer as a Python does") from error


def is_debug_build(python: Path) -> bool:
    """Return whether an interpreter is a debug build of Python, which counts references. Raises as `start`."""
    return start(python, ["-c", "import sys; print(hasattr(sys, 'gettotalrefcount'))"], TIME_LIMIT_S).strip() == "True"


def installed_frameworks(python: Path, workload: Workload) -> list[FrameworkEntry]:
    """Return the frameworks that implement a workload and that an interpreter has.

    An API on several back ends counts once per back end. Frameworks that another program runs are ignored. Raises
    EnvironmentFault if there is none.
    """
    able = [entry for entry in competing_frameworks().values() if entry.does(workload) and entry.program is None]
    wanted = sorted({module for entry in able for module in entry.packages})
    there = modules_of(python, wanted)
    found = [entry for entry in able if there.issuperset(entry.packages)]
    if not found:
        names = ", ".join(sorted({entry.packages[0] for entry in able}))
        raise EnvironmentFault(
            f"{python} has none of the frameworks that implement {workload.name} ({names})",
            f"Run: {python} -m pip install torch (or another), or name another interpreter with --python.",
        )
    return found


def require(python: Path, contenders: Sequence[Contender]) -> None:
    """Raise EnvironmentFault if the interpreter lacks the framework of one of these contenders."""
    there = modules_of(python, sorted({module for one in contenders for module in one.entry.packages}))
    for one in contenders:
        missing = [module for module in one.entry.packages if module not in there]
        if missing:
            raise EnvironmentFault(
                f"{python} has no {' and no '.join(missing)}, which {one.framework} needs",
                "Leave -f out to verify what it has, or name another interpreter with --python.",
            )


def version_of(entry: FrameworkEntry, packages: Mapping[str, str]) -> str | None:
    """Return the version of a framework's main package in `packages` (name → version); None if missing."""
    names: dict[str, str] = {canonicalize_name(name): version for name, version in packages.items()}
    module = entry.packages[0]
    candidates = (canonicalize_name(module), *ALSO.get(module, ()))
    return next((names[name] for name in candidates if name in names), None)


def counterpart(entry: FrameworkEntry, packages: Mapping[str, str]) -> Counterpart | None:
    """Return the managed release of the same version, or else the nearest; None if the framework has no lock."""
    known = {lock.name for lock in all_locks()}
    mine = version_of(entry, packages)
    releases = []
    for name in entry.locks:
        pins = load_lock(name).pins if name in known else {}
        pin = pins.get(canonicalize_name(entry.packages[0]))
        if pin is not None:
            version = str(next(iter(pin.specifier)).version)
            releases.append(Counterpart(name.partition("@")[2], version, is_same_version(mine, version)))
    return min(releases, key=lambda one: (not one.same, distance(mine, one.version)), default=None)


def is_same_version(mine: str | None, other: str) -> bool:
    """Return whether two versions are equal, whatever the build: 2.13.0+cpu is 2.13.0."""
    return mine is not None and distance(mine, other) == (0,) * len(distance(mine, other))


def distance(mine: str | None, other: str) -> tuple[int, ...]:
    """Return the distance of two versions, part by part; the largest if one is not a version."""
    try:
        one, two = Version(mine or "?").release, Version(other).release
    except InvalidVersion:
        return (10**9,)
    length = max(len(one), len(two), 4)
    filled = [[*parts, *[0] * (length - len(parts))] for parts in (one, two)]
    return tuple(abs(first - second) for first, second in zip(*filled, strict=True))


def choose_contenders(workload: str, python: Path, named: Sequence[str]) -> list[tuple[Contender, dict[str, str]]]:
    """Return the contenders to verify, named ones or all of the interpreter, each with the packages there."""
    work = find_workload(workload)
    contenders = [parse_contender(text, python) for text in named]
    packages = external(python).packages
    if contenders:
        require(python, contenders)
    else:
        contenders = [parse_contender(entry.name, python) for entry in installed_frameworks(python, work)]
    return [(one, packages) for one in contenders]
