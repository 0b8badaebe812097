"""Frameworks: the description in each adapter file, read without running the file."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.r_source import SUFFIX as R
from rosettabench.catalogue.roots import catalogue_roots, package_of, pass_over, read_each
from rosettabench.catalogue.strict import Strict, faults
from rosettabench.catalogue.syntax import parse_python
from rosettabench.catalogue.workload import Workload
from rosettabench.errors import UsageError

GUIDE = "See docs/guide/adding-a-framework.md."
"""What to do about a file that cannot be read."""

FIRST_OPTIMIZERS = ("adam", "sgd", "rmsprop")
"""The optimisers of a reference that names none."""


class ExportedFrom(Strict):
    """The origin of exported models: the framework that they are written in, and the lock of what exports them."""

    framework: str
    lock: str

    def file_of(self, workload: Workload) -> Path | None:
        """Return the file whose model is exported; None if a workload has none.

        That is the framework's own, unless there is one for the export alone.
        """
        return self.own_file(workload) or workload.implementation(self.framework)

    def own_file(self, workload: Workload) -> Path | None:
        """Return the file for the export alone, ``pytorch_onnx.py``; None if a workload has none."""
        return workload.implementation(f"{self.framework}-onnx")


class FrameworkEntry(Strict):
    """A framework and one of its APIs, as the literal DESCRIPTION of its adapter states it."""

    name: str
    """As users write it: ``pytorch``, ``keras[tensorflow]``."""
    title: str
    modes: dict[str, str]
    """{mode: its meaning in this framework}."""
    mode: str
    """The default mode."""
    packages: tuple[str, ...]
    """Modules whose import shows that the framework is installed."""
    imports: tuple[str, ...] | None = None
    """The packages that can be imported directly; the others need the adapter's preparations. None means all."""
    locks: tuple[str, ...]
    """The locks of its managed environments; the first is the default."""
    lacks: dict[str, dict[str, str]] = Field(default_factory=dict)
    """{lock: {mode: why the release of that lock lacks the mode}}."""
    path: Path
    backend: str | None = None
    program: Literal["Rscript"] | None = None
    """The program that runs its worker, if not the Python of its environment. The adapter is then the whole worker."""
    reference: bool = False
    """True for the float64 references, which contenders are compared with and which are never timed."""
    original: str | None = None
    """For a reference that runs an original instead of formulas: the framework of that original."""
    files: str | None = None
    """For a reference that runs the formulas of another reference: the name of that reference."""
    optimizers: tuple[str, ...] = FIRST_OPTIMIZERS
    """For a reference with formulas: the optimisers that it has written out."""
    hints: dict[re.Pattern[str], str] = Field(default_factory=dict)
    """{regular expression: what users can do about an error of the framework that begins so}."""
    most_threads: int | None = None
    """The threads of a framework that cannot use more; None for one that uses as many as it is told to."""
    not_exported: str = "no exporter for it is kept here"
    """Why its models are not exported to ONNX, if they are not: docs/guide/onnx.md."""
    exported: ExportedFrom | None = None
    """For a framework that only runs exported models: where they come from. It has no implementations of its own."""

    @property
    def implementation_name(self) -> str:
        """The name of its files in the workloads' folders, without back end."""
        exported = self.exported.framework if self.exported else None
        return self.original or self.files or exported or self.path.stem.replace("_", "-")

    def file_of(self, workload: Workload, release: str | None = None) -> Path | None:
        """Return the file of a workload that it runs, or whose model it gets exported; None if there is none."""
        if self.exported is not None:
            return self.exported.file_of(workload)
        return workload.implementation(self.implementation_name, release)

    @property
    def borrows(self) -> bool:
        """Whether it is a reference that runs the files of another framework and inherits from another reference."""
        return self.original is not None or self.files is not None

    @property
    def adapter(self) -> Path:
        """The file of its adapter: the one with the description, or an R program beside it."""
        return self.path if self.program is None else self.path.with_suffix(R)

    def hint_on(self, error: str) -> str:
        """Return what users can do about an error of the framework; empty if nothing is known."""
        return next((hint for begins, hint in self.hints.items() if begins.match(error)), "")

    @property
    def worker(self) -> tuple[str, ...]:
        """The command that starts its own worker program; empty if it runs the common worker."""
        return () if self.program is None else (self.program, str(self.adapter))

    @property
    def releases(self) -> dict[str, str]:
        """{release: its lock}, with releases as contenders name them: ``{"2.13.0": "pytorch@2.13.0"}``."""
        return {lock.partition("@")[2]: lock for lock in self.locks}

    @property
    def library(self) -> str:
        """The library behind it, named after its package, with the back end: ``torch``, ``keras[jax]``."""
        own = self.name if self.name in self.packages else self.packages[0]
        return own + (f"[{self.backend}]" if self.backend else "")

    def modes_in(self, lock: str | None) -> tuple[str, ...]:
        """Return its modes in the release of a lock; all modes for the user's own interpreter, None."""
        return tuple(mode for mode in self.modes if mode not in self.lacks.get(lock or "", {}))

    def does(self, workload: Workload) -> bool:
        """Return whether a workload has an implementation in it, and does not state this back end as absent.

        A reference with formulas also needs that of the optimiser. A framework that runs exported models only infers.
        """
        if self.reference and self.original is None and not self._trains_like(workload):
            return False
        if self.exported is not None and workload.inference is None:
            return False
        return self.file_of(workload) is not None and self.name not in workload.absent

    def _trains_like(self, workload: Workload) -> bool:
        """Return whether a reference has a workload's optimiser; for inference, whether it has formulas of its own."""
        return self.files is None if workload.optimizer is None else workload.optimizer.name in self.optimizers

    @property
    def loader(self) -> Path:
        """The file of its loader, which may not exist."""
        return self.path.parent.parent / "loaders" / self.path.name

    @property
    def parallel(self) -> Path:
        """The file of its adapter for several devices, which may not exist."""
        return self.path.parent.parent / "parallel" / self.path.name

    def why_on_one_device(self) -> str | None:
        """Return why it trains on one device only; None if it trains on several, too.

        It may have no adapter for several, or one that lacks its back end, as the literal LACKS of that file states.
        """
        if not self.parallel.is_file():
            return "has no implementation for several devices"
        why = (read_literal(self.parallel, "LACKS") or {}).get(self.backend or "")
        return f"trains on one device only: {why}" if why else None


def references(workload: Workload) -> list[FrameworkEntry]:
    """Return the references of a workload, the preferred one first. If it has an original, that is the only one."""
    entries = [entry for entry in all_frameworks().values() if entry.reference and entry.original == workload.reference]
    able = [entry for entry in entries if entry.does(workload)]
    return sorted(able, key=lambda entry: entry.implementation_name != "reference-pytorch")


@cache
def all_frameworks() -> dict[str, FrameworkEntry]:
    """Return every framework of the catalogue by name, references included."""
    files = [path for root in catalogue_roots() for path in sorted((root / "frameworks").glob("[!_]*.py"))]
    found: dict[str, FrameworkEntry] = {}
    for entries in read_each(files, read_entries):
        for entry in entries:
            if found.setdefault(entry.name, entry) is not entry:
                pass_over(str(package_of(entry.path)), f"{entry.path}: there is a framework {entry.name} already")
    return found


def competing_frameworks() -> dict[str, FrameworkEntry]:
    """Return the frameworks that can take part in a contest: all but the references."""
    return {name: entry for name, entry in all_frameworks().items() if not entry.reference}


def find_framework(name: str) -> FrameworkEntry:
    """Return the framework `name`. Raises UsageError, with the nearest match, if there is none.

    A name without back end means the first back end: ``keras`` is ``keras[tensorflow]``.
    """
    frameworks = competing_frameworks()
    first = next((one for one in frameworks.values() if one.backend and one.implementation_name == name), None)
    if first is not None:
        return first
    return frameworks[nearest("framework", name, frameworks)]


def read_entries(path: Path) -> list[FrameworkEntry]:
    """Read an adapter file: one entry, or one for each back end. Raises UsageError for a wrong description."""
    description = read_description(path)
    backends = description.pop("backends", None)
    name = path.stem.replace("_", "-")
    try:
        if backends is None:
            return [FrameworkEntry(name=name, path=path, **description)]
        return [
            FrameworkEntry(name=f"{name}[{backend}]", path=path, backend=backend, **{**description, **own})
            for backend, own in backends.items()
        ]
    except ValidationError as error:
        raise UsageError(f"{path}: DESCRIPTION: {faults(error)}", hint=GUIDE) from error


def read_description(path: Path) -> dict[str, Any]:
    """Return the literal that an adapter file assigns to DESCRIPTION. Raises UsageError if there is none."""
    description = read_literal(path, "DESCRIPTION")
    if description is None:
        raise UsageError(f"{path} has no literal DESCRIPTION", hint=GUIDE)
    return description


def read_literal(path: Path, name: str) -> dict[str, Any] | None:
    """Return the literal that a file assigns to `name`, without running the file; None if there is none.

    Raises UsageError for a file that is not Python, and for a value that is not a literal.
    """
    try:
        for statement in parse_python(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
                return dict(ast.literal_eval(statement.value))
    except SyntaxError as error:
        raise UsageError(f"{path}, line {error.lineno}, is not Python: {error.msg}") from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}: {name} is not a literal: {error}", GUIDE) from error
    return None
