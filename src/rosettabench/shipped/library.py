"""The libraries that train as shipped, described by their files, which are read without being run."""

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
    """A library with its own estimator, as the literal DESCRIPTION in its file states it."""

    name: str
    """The name that users write: ``gluonts[torch]``."""
    title: str
    packages: tuple[str, ...]
    """The packages whose versions a report shows."""
    lock: str
    """The locked set of packages that it runs in."""
    path: Path
    equal: str = ""
    """The contender that does the library's work in its framework, as equal work."""
    longest_unroll: int | None = None
    """Steps of a window (context plus horizon) beyond which building its graph takes minutes or does not end."""

    def too_long(self, context: int, horizon: int) -> bool:
        """Return whether a window of context and horizon is too long for building its graph."""
        return self.longest_unroll is not None and context + horizon > self.longest_unroll


@cache
def all_libraries() -> dict[str, Library]:
    """Return every library by name; raise UsageError for a file with an invalid DESCRIPTION."""
    files = sorted((worker_folder() / "libraries").glob("[!_]*.py"), reverse=True)  # PyTorch, the reference, first
    return {library.name: library for library in map(read_library, files)}


def find_library(name: str) -> Library:
    """Return the library `name`; raise UsageError with the nearest match if there is none."""
    libraries = all_libraries()
    return libraries[nearest("library", name, libraries)]


def read_library(path: Path) -> Library:
    """Read a library's file."""
    try:
        return Library(path=path, **read_description(path))
    except ValidationError as error:
        raise UsageError(f"{path}: DESCRIPTION: {faults(error)}") from error
