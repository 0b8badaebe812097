"""Where the catalogue looks: our own worker package, and whatever other packages offer through entry points.

A third party offers frameworks, workloads, or implementations of our workloads in theirs by a package that holds the
folders ``frameworks/`` and ``workloads/`` as ours does, and by one entry point that names it::

    [project.entry-points."rosettabench.catalogue"]
    mine = "my_package"

Nothing found is imported: the laboratory reads these files, and only a worker runs them. What is wrong in a package of
somebody else's stops nobody: it is passed over, with a warning that names the package.
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
"""Group of the entry points that name packages with ``frameworks/`` and ``workloads/``."""

Read = TypeVar("Read")


class PassedOver(UserWarning):
    """Something of a package of somebody else's that cannot be used: which package, and why, in a sentence."""


def catalogue_roots() -> tuple[Path, ...]:
    """Return the folders that hold ``frameworks/`` and ``workloads/``, ours first."""
    return (worker_folder(), *their_roots())


@cache
def their_roots() -> dict[Path, str]:
    """Return the folders that other packages offer, each with the name of its package."""
    found: dict[Path, str] = {}
    for point in entry_points(group=ENTRY_POINTS):
        package = point.dist.name if point.dist else point.name
        try:
            found |= dict.fromkeys(places_of(point), package)
        except (AttributeError, ImportError, ValueError) as error:  # no name of a package, or a package that is none
            pass_over(package, f"its entry point {point.name} = {point.value} names no package: {error}")
    return found


def places_of(point: EntryPoint) -> Iterator[Path]:
    """Yield the folders of the package that an entry point names; none where it is not there.

    One that lies within another package is found without importing that.
    """
    outermost, *inner = point.module.split(".")
    spec = find_spec(outermost)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place).joinpath(*inner)


def read_each(files: Iterable[Path], read: Callable[[Path], Read]) -> Iterator[Read]:
    """Yield what `read` makes of each file. One of another package that it raises for is passed over."""
    for path in files:
        package = package_of(path)
        try:
            yield read(path)
        except Exception as error:
            if package is None:
                raise
            pass_over(package, str(error))


def package_of(path: Path) -> str | None:
    """Return the name of the package that a file of the catalogue is of; None of ours."""
    return next((name for root, name in their_roots().items() if path.is_relative_to(root)), None)


def pass_over(package: str, why: str) -> None:
    """Warn that something of a package is not used."""
    warnings.warn(PassedOver(f"a part of the installed package {package} is skipped: {why}"), stacklevel=2)


def worker_folder() -> Path:
    """Return the folder of the worker package, which stands beside this one in a checkout and in a wheel."""
    return Path(__file__).resolve().parents[2] / "rosetta_worker"
