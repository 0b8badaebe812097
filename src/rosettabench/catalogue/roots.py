"""Where the catalogue looks: our own worker package, and whatever other packages offer through entry points.

A third party offers frameworks, workloads, or implementations of our workloads in theirs by a package that holds the
folders ``frameworks/`` and ``workloads/`` as ours does, and by one entry point that names it::

    [project.entry-points."rosettabench.catalogue"]
    mine = "my_package"

Nothing found is imported: the laboratory reads these files, and only a worker runs them.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

ENTRY_POINTS = "rosettabench.catalogue"
"""Group of the entry points that name packages with ``frameworks/`` and ``workloads/``."""


@cache
def catalogue_roots() -> tuple[Path, ...]:
    """Return the folders that hold ``frameworks/`` and ``workloads/``, ours first."""
    ours = worker_folder()
    theirs = (find_spec(point.value) for point in entry_points(group=ENTRY_POINTS))
    return (ours, *(Path(place) for spec in theirs if spec for place in spec.submodule_search_locations or ()))


def worker_folder() -> Path:
    """Return the folder of the worker package, which stands beside this one in a checkout and in a wheel."""
    return Path(__file__).resolve().parents[2] / "rosetta_worker"
