"""Libraries that are trained as shipped: what the file of each says about itself, read without running it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import ValidationError

from rosettabench.catalogue.framework import read_description
from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.strict import Strict, faults
from rosettabench.errors import UsageError


class Library(Strict):
    """A library with an estimator of its own, as the literal DESCRIPTION of its file states it."""

    name: str
    """As users write it: ``gluonts[torch]``."""
    title: str
    packages: tuple[str, ...]
    """Those whose versions a report shows."""
    lock: str
    """The locked set of packages that it runs in."""
    path: Path
    equal: str = ""
    """The contender that does with its framework, at equal work, what the library does as it is shipped."""
    longest_unroll: int | None = None
    """Steps of a window (context and horizon) beyond which building its graph takes minutes or does not end."""

    def too_long(self, context: int, horizon: int) -> bool:
        """Whether a window of so many observations is beyond what its graph can be built for."""
        return self.longest_unroll is not None and context + horizon > self.longest_unroll


@cache
def all_libraries() -> dict[str, Library]:
    """Return every library by name; UsageError for a file whose DESCRIPTION is not one."""
    files = sorted((worker_folder() / "libraries").glob("[!_]*.py"), reverse=True)  # PyTorch, the reference, first
    return {library.name: library for library in map(read_library, files)}


def find_library(name: str) -> Library:
    """Return the library `name`; UsageError with the nearest match if there is none."""
    libraries = all_libraries()
    return libraries[nearest("library", name, libraries)]


def read_library(path: Path) -> Library:
    """Read a library's file."""
    try:
        return Library(path=path, **read_description(path))
    except ValidationError as error:
        raise UsageError(f"{path}: DESCRIPTION: {faults(error)}") from error
