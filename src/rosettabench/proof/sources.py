"""Find the files that a piece of code depends on: those it imports from the worker, directly or indirectly.

A certificate is bound to these files only, so a new framework in the catalogue leaves the other certificates valid.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.syntax import parse_python
from rosettabench.files import once_per_change
from rosettabench.proof.meaning import PYTHON

PACKAGE = "rosetta_worker"
"""The package that all workers share."""


def sources(files: Iterable[Path]) -> list[Path]:
    """Return `files` and all that they import from the worker, directly or indirectly, in order of their paths."""
    root = worker_folder()
    found: set[Path] = set()
    left = list(files)
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += (path for name in imports_of(file) for path in modules(root, name))
    return sorted(found)


@once_per_change
def imports_of(file: Path) -> frozenset[str]:
    """Return the dotted names that a file imports from the worker; none if it is not Python."""
    return imported_names(file.read_text(encoding="utf-8")) if file.suffix == PYTHON else frozenset()


def imported_names(source: str) -> frozenset[str]:
    """Return the dotted names that Python source imports from the worker, anywhere in it.

    ``from rosetta_worker.layers import keras`` gives ``rosetta_worker.layers`` and ``rosetta_worker.layers.keras``.
    """
    names: set[str] = set()
    for statement in ast.walk(parse_python(source)):
        if isinstance(statement, ast.Import):
            names.update(alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            names.add(statement.module)
            names.update(f"{statement.module}.{alias.name}" for alias in statement.names)
    return frozenset(name for name in names if name.partition(".")[0] == PACKAGE)


@cache
def modules(root: Path, name: str) -> tuple[Path, ...]:
    """Return the files that importing a dotted name runs: those of its packages and, if it is a module, its own."""
    parts = name.split(".")[1:]
    places = [root.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]
    files = (file for place in places for file in (place / "__init__.py", place.with_suffix(".py")))
    return tuple(file for file in files if file.is_file())
