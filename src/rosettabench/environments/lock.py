"""Locks: sets of packages with exact versions, one for each release of a framework and version of Python.

A lock is a file in requirements format, ``locks/<name>-py<version>.txt``, with a header of comments::

    # title: PyTorch 2.13.0
    # python: 3.11
    # needs: g++
    # released: 2026-07-08
    # stubs: libmpi.so.12
    # imports: torch torch._dynamo

It lists every package, including dependencies. ``needs`` are programs that must be on PATH. ``stubs`` are system
libraries that the packages link to and never call; rosettabench.environments.stubs makes them. ``released`` is the day
on which the last of the framework's own packages was published, by ``uv pip compile --exclude-newer``. ``imports`` are
the modules that workers import, also late, in their first step: with what these import in turn, nothing else is
compiled to bytecode when the environment is made. Packages that add frameworks (rosettabench.catalogue.roots) add locks
in their folder ``locks/``.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.roots import catalogue_roots, read_each
from rosettabench.errors import EnvironmentFault
from rosettabench.files import once_per_change

OURS = Path(__file__).parent / "locks"
FILE_NAME = re.compile(r"(?P<name>.+)-py(?P<python>\d+\.\d+)")
HEADER = re.compile(r"#\s*(?P<key>title|python|needs|stubs|released|imports):\s*(?P<value>.*?)\s*")


@dataclass(frozen=True)
class Lock:
    """One locked set of packages.

    name: "pytorch@2.13.0"; title: for display; python: "3.11"; requirements: "torch==2.13.0", …; needs: programs that
    must be on PATH; path: the file; stubs: libraries to make stubs of; released: the day since when it can be
    installed, None if not stated; imports: modules whose bytecode is written, all if empty.
    """

    name: str
    title: str
    python: str
    requirements: tuple[str, ...]
    needs: tuple[str, ...]
    path: Path
    stubs: tuple[str, ...] = ()
    released: date | None = None
    imports: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of Python's version, the requirements in any order, and the stubs."""
        return hashlib.sha256("\n".join([self.python, *sorted(self.requirements), *self.stubs]).encode()).hexdigest()

    @property
    def pins(self) -> dict[str, Requirement]:
        """The requirement of each package, by normalised name."""
        return {canonicalize_name(pin.name): pin for pin in map(Requirement, self.requirements)}


def load_lock(name: str) -> Lock:
    """Return the lock `name`, on its newest Python if there are several; ``pytorch@2.13.0-py3.11`` names the Python.

    Raises UsageError, with the nearest name, if there is none.
    """
    locks = all_locks()
    with_python = {lock.path.stem: lock for lock in locks}
    if name in with_python:
        return with_python[name]
    newest = {lock.name: lock for lock in locks}
    return newest[nearest("environment", name, newest)]


def all_locks() -> list[Lock]:
    """Return all locks, including those of added packages, ordered by name and then by Python's version."""
    folders = [OURS, *(root / "locks" for root in catalogue_roots())]
    locks = list(read_each((path for folder in folders for path in folder.glob("*.txt")), read_lock))
    return sorted(locks, key=lambda lock: (lock.name, [int(part) for part in lock.python.split(".")]))


@once_per_change
def read_lock(path: Path) -> Lock:
    """Read the lock file at `path`; raise EnvironmentFault with file and line if it is not valid."""
    named = FILE_NAME.fullmatch(path.stem)
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    header = {found["key"]: found["value"] for found in map(HEADER.fullmatch, lines) if found}
    if named is None or header.get("python") != named["python"]:
        raise EnvironmentFault(
            f"{path}: name and header of a lock must agree on Python, <name>-py3.11.txt, # python: 3.11"
        )
    requirements = tuple(line for line in lines if line and not line.startswith("#"))
    for requirement in requirements:
        if not is_exact(requirement):
            raise EnvironmentFault(f"{path}: {requirement!r} is not an exact version, such as numpy==2.4.6")
    title = header.get("title", named["name"])
    needs, stubs, imports = (tuple(header.get(key, "").split()) for key in ("needs", "stubs", "imports"))
    released = day(header.get("released"), path)
    return Lock(named["name"], title, named["python"], requirements, needs, path, stubs, released, imports)


def day(written: str | None, path: Path) -> date | None:
    """Return the date in a header, such as 2026-07-08; raise EnvironmentFault with the file if it is not valid."""
    try:
        return date.fromisoformat(written) if written else None
    except ValueError as error:
        raise EnvironmentFault(f"{path}: released: {error}, such as 2026-07-08") from error


@cache  # most locks share their requirements
def is_exact(requirement: str) -> bool:
    """Return whether a line asks for one exact version of one package, and nothing else."""
    try:
        pin = Requirement(requirement)
    except InvalidRequirement:
        return False
    specifiers = list(pin.specifier)
    exact = len(specifiers) == 1 and specifiers[0].operator == "==" and "*" not in specifiers[0].version
    return exact and not pin.url and not pin.marker
