"""What a framework's adapter and a workload's implementation must hold, checked without running either.

docs/guide/adding-a-framework.md and docs/guide/adding-a-workload.md say the same in words.
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
from rosettabench.catalogue.workload import Workload
from rosettabench.errors import UsageError

ORDER = ("Model", "loss", "optimizer", "TENSORS")
"""What every implementation defines, in this order, so that two of them can be read beside each other."""

ORDER_OF_INFERENCE = ("Model", "TENSORS")
"""The same where nothing is trained."""

LAST = "arrange"
"""What an implementation may define, behind all that."""

SAMPLE = "sample"
"""What it defines where the workload forecasts, and nowhere else."""

PLACES = ("Model", SAMPLE, "loss", "penalty", "optimizer", "TENSORS", "STATE", LAST)
"""Where an implementation has what it defines, also what only some workloads ask for."""

NOT_OF_REFERENCES = {"get", "set", "linger"}
"""Methods that a reference does without: it holds the canonical tensors themselves, and nobody times it."""

NOT_OF_EXPORTED = {"batch", "train", "gradients", "learning_rate"}
"""Methods that a framework does without that runs what is exported: it only infers."""


def missing(frameworks: Iterable[FrameworkEntry], workloads: Iterable[Workload]) -> list[str]:
    """Return a sentence for everything that is missing in the adapters and in the cells of framework × workload.

    Each begins with the file that lacks it, or that is not there.
    """
    by_path = {entry.path: entry for entry in frameworks}
    sentences = [sentence for path in by_path for sentence in missing_in_adapter(path)]
    for workload in workloads:
        for entry in by_path.values():
            sentences += missing_in_cell(entry, workload)
    return sentences


def missing_in_cell(entry: FrameworkEntry, workload: Workload) -> Iterator[str]:
    """Yield what a workload's implementation in a framework lacks, which may be all of it, if the workload says not."""
    if entry.borrows or entry.exported is not None:  # another framework's file, looked at as that one's
        return
    path = workload.implementation(entry.implementation_name)
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
    """Yield what the files that a workload has for single releases lack, and releases or modes that nobody has.

    `path` is the implementation for all the others.
    """
    for release in entry.releases:
        own = workload.implementation(entry.implementation_name, release)
        if own is not None and own != path:
            yield from missing_in_implementation(own, workload)
    for framework, _, release in (name.partition("@") for name in workload.absent if "@" in name):
        if framework == entry.implementation_name and release not in entry.releases:
            yield f"{workload.folder / 'workload.toml'}: absent names {framework}@{release}: not a release of it"
    for framework, _, mode in (name.partition(":") for name in workload.absent if ":" in name):
        if framework == entry.implementation_name and mode not in entry.modes:
            yield f"{workload.folder / 'workload.toml'}: absent names {framework}:{mode}: not a mode of it"


def missing_in_adapter(path: Path) -> list[str]:
    """Return what an adapter file, ``frameworks/<name>.py``, lacks: in its DESCRIPTION, and of the class Adapter."""
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
    """Return the names of a class's methods, those that it inherits from other `classes` of its file included."""
    own = {statement.name for statement in defined.body if isinstance(statement, ast.FunctionDef)}
    bases = [classes[base.id] for base in defined.bases if isinstance(base, ast.Name) and base.id in classes]
    return own.union(*(methods(base, classes) for base in bases))


def required_methods() -> set[str]:
    """Return the methods of the worker's class Framework that do nothing but raise NotImplementedError."""
    tree = ast.parse((worker_folder() / "framework.py").read_text(encoding="utf-8"))
    base = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Framework")
    return {
        method.name
        for method in base.body
        if isinstance(method, ast.FunctionDef) and ast.unparse(method.body[-1]) == "raise NotImplementedError"
    }


def missing_in_reference(path: Path) -> list[str]:
    """Return what the implementation of a reference lacks: it is the docstring and one function, ``forward``."""
    tree = parse_file(path)
    if isinstance(tree, str):
        return [tree]
    lacks = [] if "forward" in defined_names(tree) else [f"{path}: the function forward(w, inputs) is missing"]
    return [*missing_docstring(path, tree), *lacks]


def missing_in_implementation(path: Path, workload: Workload) -> list[str]:
    """Return what an implementation, ``workloads/<workload>/<framework>.py``, lacks, or has in another order.

    It may be in R.
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
        trees = [tree, *(ast.parse(file.read_text(encoding="utf-8")) for file in shared)]
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
    needless = [name for name in found if name in ORDER and name not in wanted]
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
    """Return which of the workload's tensors a table does not tie, ties twice, or ties though there is none.

    TENSORS is to tie those that are `trained`, STATE the others; `tied` is what a table does.
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
"""What stands in a tie for a name that nobody has written yet (port/ties.py)."""


def open_ties(tree: ast.Module) -> Iterator[str]:
    """Yield the canonical names of ties whose other side is OPEN."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="Tie"), args=[ast.Constant(value=str(name)), ast.Constant(value=own), *_]):
                if own == OPEN:
                    yield name


def tied_names(trees: Sequence[ast.Module], table: str) -> list[str] | None:
    """Return the canonical names in a table, in its order, ranges one by one; None where it is not written out.

    `trees` are the implementation and the shared modules that it imports; a table may contain one of theirs.
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
    """Return the names of a module's own top-level functions, classes and variables, in their order."""
    names = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            names.append(assigned_value(statement))
    return names


def assigned_value(statement: ast.Assign) -> str:
    """Return what an assignment assigns to."""
    return ast.unparse(statement.targets[0])


def missing_docstring(path: Path, tree: ast.Module) -> list[str]:
    """Return that the module's docstring is missing, if it is."""
    return [] if ast.get_docstring(tree) else [f"{path}: the docstring at the top is missing"]


def parse_file(path: Path) -> ast.Module | str:
    """Return the syntax tree of a file, or the sentence that it is not Python."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        return f"{path}: line {error.lineno} is not Python: {error.msg}"
