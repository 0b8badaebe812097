"""Frameworks: what each adapter file says about itself, read without running it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.r_source import SUFFIX as R
from rosettabench.catalogue.roots import catalogue_roots, package_of, pass_over, read_each
from rosettabench.catalogue.strict import Strict, faults
from rosettabench.catalogue.workload import Workload
from rosettabench.errors import UsageError

FIRST_OPTIMIZERS = ("adam", "sgd", "rmsprop")
"""The optimisers of a reference that names none."""


class ExportedFrom(Strict):
    """What a framework runs that has no implementations of its own: those of another framework, exported.

    `lock` names the environment in which they are exported.
    """

    framework: str
    lock: str


class FrameworkEntry(Strict):
    """A framework, and an API of it, as the literal DESCRIPTION of its adapter states it."""

    name: str
    """As users write it: ``pytorch``, ``keras[tensorflow]``."""
    title: str
    modes: dict[str, str]
    """Mode to what it means in this framework."""
    mode: str
    """The mode that is meant where none is named."""
    packages: tuple[str, ...]
    """Modules whose import shows that the framework is installed."""
    imports: tuple[str, ...] | None = None
    """Those of them that import by themselves, where others need what the adapter does for them beforehand."""
    locks: tuple[str, ...]
    """Locked sets of packages it runs in; the first is the default."""
    lacks: dict[str, dict[str, str]] = Field(default_factory=dict)
    """By lock, the modes that its release does not have, and why."""
    path: Path
    backend: str | None = None
    program: Literal["Rscript"] | None = None
    """What runs its worker, where that is not its environment's Python; the adapter is the whole worker then."""
    reference: bool = False
    """True for the float64 references, which are proven against and never timed."""
    original: str | None = None
    """Of a reference, the framework whose implementations it runs: that of an original, which is no formula."""
    files: str | None = None
    """Of a reference, the other reference whose formulas it runs: ``reference-pytorch``."""
    optimizers: tuple[str, ...] = FIRST_OPTIMIZERS
    """Of a reference with formulas, the optimisers that it has written out."""
    exported: ExportedFrom | None = None
    """Of one that only infers: it runs what is exported of another framework, and has no files in the workloads."""

    @property
    def implementation_name(self) -> str:
        """The name of its files in the workloads' folders, without backend; of what is exported, the other's."""
        exported = self.exported.framework if self.exported else None
        return self.original or self.files or exported or self.path.stem.replace("_", "-")

    @property
    def borrows(self) -> bool:
        """Whether it is a reference that runs files of another framework, and inherits from another reference."""
        return self.original is not None or self.files is not None

    @property
    def adapter(self) -> Path:
        """The file of its adapter: the one with its description, or an R program beside that."""
        return self.path if self.program is None else self.path.with_suffix(R)

    @property
    def worker(self) -> tuple[str, ...]:
        """The command that starts its worker, where that is not ours, in its environment's Python."""
        return () if self.program is None else (self.program, str(self.adapter))

    @property
    def releases(self) -> dict[str, str]:
        """Its managed releases, as contenders are written, and their locks: ``{"2.13.0": "pytorch@2.13.0"}``."""
        return {lock.partition("@")[2]: lock for lock in self.locks}

    @property
    def library(self) -> str:
        """What it is an API, or a release, of, as its package is named: ``torch``, ``keras[jax]``."""
        own = self.name if self.name in self.packages else self.packages[0]
        return own + (f"[{self.backend}]" if self.backend else "")

    def modes_in(self, lock: str | None) -> tuple[str, ...]:
        """Return the modes that it has in the release of a lock; all of them in an interpreter of the user's own."""
        return tuple(mode for mode in self.modes if mode not in self.lacks.get(lock or "", {}))

    def does(self, workload: Workload) -> bool:
        """Whether a workload is written in it, and not said to be absent from this back end of it.

        A reference with formulas must have that of the optimiser, too. One that runs what is exported does what infers.
        """
        if self.reference and self.original is None and not self._trains_like(workload):
            return False
        if self.exported is not None and workload.inference is None:
            return False
        return workload.implementation(self.implementation_name) is not None and self.name not in workload.absent

    def _trains_like(self, workload: Workload) -> bool:
        """Whether a reference has the optimiser of a workload; of inference, whether it has formulas of its own."""
        return self.files is None if workload.optimizer is None else workload.optimizer.name in self.optimizers

    @property
    def loader(self) -> Path:
        """The file of its loader, where it has one."""
        return self.path.parent.parent / "loaders" / self.path.name


def references(workload: Workload) -> list[FrameworkEntry]:
    """Return the references that can say what a workload is, the preferred one first; of one with an original, that."""
    entries = [entry for entry in all_frameworks().values() if entry.reference and entry.original == workload.reference]
    able = [entry for entry in entries if entry.does(workload)]
    return sorted(able, key=lambda entry: entry.implementation_name != "reference-pytorch")


@cache
def all_frameworks() -> dict[str, FrameworkEntry]:
    """Return every framework of the catalogue by name, the references among them."""
    files = [path for root in catalogue_roots() for path in sorted((root / "frameworks").glob("[!_]*.py"))]
    found: dict[str, FrameworkEntry] = {}
    for entries in read_each(files, read_entries):
        for entry in entries:
            if found.setdefault(entry.name, entry) is not entry:
                pass_over(str(package_of(entry.path)), f"{entry.path}: there is a framework {entry.name} already")
    return found


def contestants() -> dict[str, FrameworkEntry]:
    """Return the frameworks that can be entered in a contest: all but the references."""
    return {name: entry for name, entry in all_frameworks().items() if not entry.reference}


def find_framework(name: str) -> FrameworkEntry:
    """Return the framework `name`; UsageError with the nearest match if there is none.

    One with several back ends, named without, is that on the first of them: ``keras`` is ``keras[tensorflow]``.
    """
    frameworks = contestants()
    first = next((one for one in frameworks.values() if one.backend and one.implementation_name == name), None)
    if first is not None:
        return first
    return frameworks[nearest("framework", name, frameworks)]


def read_entries(path: Path) -> list[FrameworkEntry]:
    """Read an adapter file: one entry, or one for each of its back ends."""
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
        raise UsageError(
            f"{path}: DESCRIPTION: {faults(error)}", hint="See docs/guide/adding-a-framework.md."
        ) from error


def read_description(path: Path) -> dict[str, Any]:
    """Return the literal that an adapter file assigns to DESCRIPTION."""
    try:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "DESCRIPTION":
                return dict(ast.literal_eval(statement.value))
    except SyntaxError as error:
        raise UsageError(f"{path}, line {error.lineno}, is not Python: {error.msg}") from error
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{path}: DESCRIPTION is not a literal: {error}", "See docs/guide/adding-a-framework.md."
        ) from error
    raise UsageError(f"{path} has no literal DESCRIPTION", hint="See docs/guide/adding-a-framework.md.")
