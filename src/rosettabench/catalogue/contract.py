"""The contract of adapters and implementations, checked without running them.

docs/guide/adding-a-framework.md and docs/guide/adding-a-workload.md describe it in words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from rosettabench.catalogue import r_source
from rosettabench.catalogue.framework import FrameworkEntry, read_entries
from rosettabench.catalogue.ranges import written_out
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.shared import shared_modules
from rosettabench.catalogue.syntax import parse_python
from rosettabench.catalogue.workload import Workload
from rosettabench.errors import UsageError

ORDER = ("Model", "loss", "optimizer", "TENSORS")
"""What every implementation defines, in this order, so that two of them can be read side by side."""

ORDER_OF_INFERENCE = ("Model", "TENSORS")
"""What an implementation of a workload without training defines."""

LAST = "arrange"
"""An optional definition, after all others."""

SAMPLE = "sample"
"""Workloads that forecast define it, and no others."""

PLACES = ("Model", SAMPLE, "loss", "penalty", "optimizer", "TENSORS", "STATE", LAST)
"""The order of all possible definitions of an implementation."""

NOT_OF_REFERENCES = {"get", "set", "linger"}
"""Methods that references lack: they hold the canonical tensors themselves and are not timed."""

NOT_OF_EXPORTED = {"batch", "train", "gradients", "learning_rate"}
"""Methods that a framework lacks that only runs exported models."""


def missing(frameworks: Iterable[FrameworkEntry], workloads: Iterable[Workload]) -> list[str]:
    """Return a sentence for each fault in the adapters and in the cells of framework × workload.

    Each sentence begins with the incomplete or missing file.
    """
    by_path = {entry.path: entry for entry in frameworks}
    sentences = [sentence for path in by_path for sentence in missing_in_adapter(path)]
    for workload in workloads:
        for entry in by_path.values():
            sentences += missing_in_cell(entry, workload)
    return sentences


def missing_in_cell(entry: FrameworkEntry, workload: Workload) -> Iterator[str]:
    """Yield the faults of a workload's implementation in a framework; none if the workload states that it is absent."""
    if entry.borrows or entry.exported is not None:  # the file is checked as that of its own framework
        return
    path = entry.file_of(workload)
    yield from missing_in_releases(entry, workload, path)
    if entry.implementation_name in workload.absent:
        if path is not None:
            yield f"{path} is there, and {workload.name} says that it is not written in {entry.implementation_name}"
    elif path is None:
        place = workload.folder / f"{entry.path.stem}.py"
        yield f"{place} is missing: {workload.name} is not written in {entry.implementation_name}"
    elif entry.reference:
        yield from missing_in_reference(path)
    else:
        yield from missing_in_implementation(path, workload)


def missing_in_releases(entry: FrameworkEntry, workload: Workload, path: Path | None) -> Iterator[str]:
    """Yield the faults of a workload's files for single releases, and the unknown releases and modes that it names.

    `path` is the implementation for all other releases.
    """
    for release in entry.releases:
        own = entry.file_of(workload, release)
        if own is not None and own != path:
            yield from missing_in_implementation(own, workload)
    for framework, _, release in (name.partition("@") for name in workload.absent if "@" in name):
        if framework == entry.implementation_name and release not in entry.releases:
            yield f"{workload.folder / 'workload.toml'}: absent names {framework}@{release}: not a release of it"
    for framework, _, mode in (name.partition(":") for name in workload.absent if ":" in name):
        if framework == entry.implementation_name and mode not in entry.modes:
            yield f"{workload.folder / 'workload.toml'}: absent names {framework}:{mode}: not a mode of it"


def missing_in_adapter(path: Path) -> list[str]:
    """Return the faults of an adapter file, ``frameworks/<name>.py``: in its DESCRIPTION and its class Adapter."""
    tree = parse_file(path)
    if isinstance(tree, str):
        return [tree]
    try:
        entries = read_entries(path)
    except UsageError as error:
        return [error.what]
    sentences = [
        f"{path}: DESCRIPTION calls {entry.mode!r} the mode of {entry.name}, which is not one of its modes"
        for entry in entries
        if entry.mode not in entry.modes
    ]
    sentences += [f"{path}: DESCRIPTION names no lock for {entry.name}" for entry in entries if not entry.locks]
    sentences += [
        f"{path}: DESCRIPTION says that {lock} lacks {mode!r}, which is not a lock or a mode of {entry.name}"
        for entry in entries
        for lock, modes in entry.lacks.items()
        for mode in modes
        if lock not in entry.locks or mode not in entry.modes
    ]
    if entries[0].program is not None:
        adapter = entries[0].adapter
        return sentences if adapter.is_file() else [*sentences, f"{adapter} is missing: {path} says that it is there"]
    if entries[0].borrows:  # it inherits what is missing
        return sentences
    classes = {statement.name: statement for statement in tree.body if isinstance(statement, ast.ClassDef)}
    if "Adapter" not in classes:
        return [*sentences, f"{path}: the class Adapter(Framework) is missing"]
    spared = NOT_OF_REFERENCES if entries[0].reference else NOT_OF_EXPORTED if entries[0].exported else set()
    has = methods(classes["Adapter"], classes)
    return sentences + [f"{path}: Adapter has no method {name}" for name in sorted(required_methods() - spared - has)]


def methods(defined: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """Return the names of a class's methods, with those inherited from other `classes` of its file."""
    own = {statement.name for statement in defined.body if isinstance(statement, ast.FunctionDef)}
    bases = [classes[base.id] for base in defined.bases if isinstance(base, ast.Name) and base.id in classes]
    return own.union(*(methods(base, classes) for base in bases))


def required_methods() -> set[str]:
    """Return the names of the methods of the worker's class Framework that only raise NotImplementedError."""
    tree = parse_python((worker_folder() / "framework.py").read_text(encoding="utf-8"))
    base = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Framework")
    return {
        method.name
        for method in base.body
        if isinstance(method, ast.FunctionDef) and ast.unparse(method.body[-1]) == "raise NotImplementedError"
    }


def missing_in_reference(path: Path) -> list[str]:
    """Return the faults of a reference's implementation, which must have a docstring and the function ``forward``."""
    tree = parse_file(path)
    if isinstance(tree, str):
        return [tree]
    lacks = [] if "forward" in defined_names(tree) else [f"{path}: the function forward(w, inputs) is missing"]
    return [*missing_docstring(path, tree), *lacks]


def missing_in_implementation(path: Path, workload: Workload) -> list[str]:
    """Return the faults of an implementation, ``workloads/<workload>/<framework>.py``: missing or misplaced names.

    The file may be in R.
    """
    if path.suffix == r_source.SUFFIX:
        source = path.read_text(encoding="utf-8")
        names = own = list(r_source.definitions(source))
        tied: Callable[[str], list[str] | None] = partial(r_source.tied_names, source)
        sentences = [] if source.startswith("# ") else [f"{path}: the comment at the top is missing"]
    else:
        tree = parse_file(path)
        if isinstance(tree, str):
            return [tree]
        shared = shared_modules(path.read_text(encoding="utf-8"))
        trees = [tree, *(parse_python(file.read_text(encoding="utf-8")) for file in shared)]
        imported = [name for module in shared.values() for name in module]
        own = defined_names(tree)
        names = own + [name for module in trees[1:] for name in defined_names(module) if name in imported]
        tied = partial(tied_names, trees)
        sentences = missing_docstring(path, tree)
    wanted = ORDER if workload.inference is None else ORDER_OF_INFERENCE
    sentences += [f"{path}: {name} is not defined" for name in wanted if name not in names]
    found = [name for name in names if name in PLACES]
    ordered = [name for name in own if name in PLACES]
    if ordered != sorted(ordered, key=PLACES.index):
        sentences.append(f"{path}: defines {', '.join(ordered)}; the order is {', '.join(wanted)}, and then {LAST}")
    needless = [name for name in found if name in ORDER and name not in wanted and not workload.borrows(path)]
    sentences += [f"{path}: defines {name}, and {workload.name} trains nothing" for name in needless]
    if (workload.forecasts is not None) != (SAMPLE in names):
        wrong = (
            f"defines {SAMPLE}, and {workload.name} forecasts nothing"
            if SAMPLE in names
            else f"{SAMPLE} is not defined"
        )
        sentences.append(f"{path}: {wrong}")
    if path.suffix != r_source.SUFFIX:
        sentences += [f"{path}: the name of {name} is open in its tie" for name in open_ties(trees[0])]
    if "TENSORS" in names:
        sentences += missing_ties(path, tied("TENSORS"), workload, "TENSORS", trained=True)
    kept = any(not tensor.trained for tensor in workload.tensors)
    if kept and "STATE" not in names:
        sentences.append(f"{path}: STATE is not defined")
    if "STATE" in names:
        sentences += missing_ties(path, tied("STATE"), workload, "STATE", trained=False)
    return sentences


def missing_ties(path: Path, tied: list[str] | None, workload: Workload, table: str, *, trained: bool) -> list[str]:
    """Return a sentence for each tensor that a table does not tie, ties twice, or ties although the workload lacks it.

    `table` is TENSORS, for `trained` tensors, or STATE, for the others. `tied` holds the names in the table; None if
    they cannot be read.
    """
    if tied is None:
        return [f'{path}: {table} is not a list of Tie("canonical names", …) with the names written out']
    wanted = [tensor.name for tensor in workload.tensors if tensor.trained == trained]
    kind = "tensor" if trained else "kept tensor"
    return [
        *(f"{path}: {table} does not tie {name}" for name in wanted if name not in tied),
        *(f"{path}: {table} ties {name} twice" for name in dict.fromkeys(tied) if tied.count(name) > 1),
        *(f"{path}: {workload.name} has no {kind} {name}" for name in dict.fromkeys(tied) if name not in wanted),
    ]


OPEN = "?"
"""The placeholder in a tie for a name that nobody has written yet (port/ties.py)."""


def open_ties(tree: ast.Module) -> Iterator[str]:
    """Yield the canonical names of ties whose other side is OPEN."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="Tie"), args=[ast.Constant(value=str(name)), ast.Constant(value=own), *_]):
                if own == OPEN:
                    yield name


def tied_names(trees: Sequence[ast.Module], table: str) -> list[str] | None:
    """Return the canonical names in a table, in its order, with ranges expanded; None if it is not a literal.

    `trees` are the implementation and the shared modules that it imports; a table may include one of theirs.
    """
    nodes = [node for tree in reversed(trees) for node in tree.body]
    values = [node.value for node in nodes if isinstance(node, ast.Assign) and assigned_value(node) == table]
    if not values or not isinstance(values[-1], ast.List):
        return None
    names: list[str] = []
    for entry in values[-1].elts:
        match entry:
            case ast.Call(func=ast.Name(id="Tie"), args=[ast.Constant(value=str(canonical)), *_]):
                names += [one for name in canonical.split() for one in written_out(name)]
            case ast.Starred(value=ast.Name(id=other)) if (part := tied_names(trees[1:], other)) is not None:
                names += part
            case _:
                return None
    return names


def defined_names(tree: ast.Module) -> list[str]:
    """Return the names of a module's top-level functions, classes and variables, in their order."""
    names = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            names.append(assigned_value(statement))
    return names


def assigned_value(statement: ast.Assign) -> str:
    """Return the name that an assignment binds."""
    return ast.unparse(statement.targets[0])


def missing_docstring(path: Path, tree: ast.Module) -> list[str]:
    """Return a list with the fault that the module has no docstring; empty if it has one."""
    return [] if ast.get_docstring(tree) else [f"{path}: the docstring at the top is missing"]


def parse_file(path: Path) -> ast.Module | str:
    """Return the syntax tree of a file, or a sentence if it is not Python."""
    try:
        return parse_python(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        return f"{path}: line {error.lineno} is not Python: {error.msg}"
