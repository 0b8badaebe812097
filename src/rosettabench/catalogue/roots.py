"""The folders of the catalogue: our own worker package, and those that other packages offer through entry points.

A package of a third party can add frameworks, workloads, or implementations of our workloads. It holds the folders
``frameworks/`` and ``workloads/`` as ours does, and one entry point that names it::

    [project.entry-points."rosettabench.catalogue"]
    mine = "my_package"

These packages are not imported: the laboratory reads their files, and only a worker runs them. A faulty part of another
package does not stop the laboratory: it is skipped, with a warning that names the package.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

ENTRY_POINTS = "rosettabench.catalogue"
"""The group of the entry points that name packages with ``frameworks/`` and ``workloads/``."""

Read = TypeVar("Read")


class PassedOver(UserWarning):
    """A part of another package that cannot be used: a sentence with the package and the reason."""


def catalogue_roots() -> tuple[Path, ...]:
    """Return the folders that hold ``frameworks/`` and ``workloads/``, ours first."""
    return (worker_folder(), *their_roots())


@cache
def their_roots() -> dict[Path, str]:
    """Return {folder: name of the package} for the folders that other packages offer."""
    found: dict[Path, str] = {}
    for point in entry_points(group=ENTRY_POINTS):
        package = point.dist.name if point.dist else point.name
        try:
            found |= dict.fromkeys(places_of(point), package)
        except (AttributeError, ImportError, ValueError) as error:  # a malformed name, or not a package
            pass_over(package, f"its entry point {point.name} = {point.value} names no package: {error}")
    return found


def places_of(point: EntryPoint) -> Iterator[Path]:
    """Yield the folders of the package that an entry point names; none if it is not installed.

    A package within another package is found without importing it.
    """
    outermost, *inner = point.module.split(".")
    spec = find_spec(outermost)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place).joinpath(*inner)


def read_each(files: Iterable[Path], read: Callable[[Path], Read]) -> Iterator[Read]:
    """Yield the result of `read` for each file. Files of other packages that fail are skipped with a warning."""
    for path in files:
        package = package_of(path)
        try:
            yield read(path)
        except Exception as error:
            if package is None:
                raise
            pass_over(package, str(error))


def package_of(path: Path) -> str | None:
    """Return the name of the package that owns a file of the catalogue; None for our own files."""
    return next((name for root, name in their_roots().items() if path.is_relative_to(root)), None)


def pass_over(package: str, why: str) -> None:
    """Warn that a part of a package is skipped, and why."""
    warnings.warn(PassedOver(f"a part of the installed package {package} is skipped: {why}"), stacklevel=2)


@cache
def worker_folder() -> Path:
    """Return the folder of the worker package, which is beside this package in a checkout and in a wheel."""
    return Path(__file__).resolve().parents[2] / "rosetta_worker"


def group_program() -> Path:
    """Return the program that starts a group of devices; they start as it does."""
    return worker_folder() / "parallel" / "__main__.py"
