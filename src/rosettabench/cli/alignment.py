"""Source files cut into their top-level definitions, and those of several files set beside each other."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from rosettabench.catalogue import r_source
from rosettabench.errors import UsageError


def aligned(sources: Mapping[str, str], in_r: Collection[str] = ()) -> list[dict[str, str]]:
    """Return the rows of a comparison of `sources`, {label: source}: each {label: text of the definition}.

    They are in Python, but for those whose labels are `in_r`.

    Definitions of the same name share a row. Rows are in the order of the first source; what only later ones have
    stands behind what it follows there. Each source's text is in the rows, every line of it, blank ones apart.
    """
    parts = {
        label: r_source.definitions(source) if label in in_r else definitions(source, label)
        for label, source in sources.items()
    }
    order: list[str] = []
    for own in parts.values():
        place = 0
        for name in own:
            if name in order:
                place = order.index(name) + 1
            else:
                order.insert(place, name)
                place += 1
    return [{label: own[name] for label, own in parts.items() if name in own} for name in order]


def definitions(source: str, label: str) -> dict[str, str]:
    """Return {name: text} of the top-level statements of a source, with the comments above each.

    All imports together are ``import``, the module's docstring is ``docstring``. A statement that defines no name, and
    a second one of the same name, belong to what stands before them. Raises UsageError where it is not Python.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise UsageError(f"{label}, line {error.lineno}, is not Python: {error.msg}") from error
    lines = source.splitlines()
    texts: dict[str, list[str]] = {}
    name, done = "docstring", 0
    for number, statement in enumerate(body):
        last = number == len(body) - 1
        end = len(lines) if last else statement.end_lineno or 0
        name = defined_name(statement) or name
        texts.setdefault(name, []).extend(lines[done:end])
        done = end
    return {name: "\n".join(text).strip("\n") for name, text in texts.items()}


def defined_name(statement: ast.stmt) -> str | None:
    """Return the name under which a statement is looked for in other files; None if it defines none."""
    match statement:
        case ast.Import() | ast.ImportFrom():
            return "import"
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target):
            return ast.unparse(target)
        case _:
            return None
