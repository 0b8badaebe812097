"""Source files cut into their definitions, and those of several files set beside each other."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from rosettabench.errors import UsageError

Definitions = dict[str, str]
"""Name to text, in the order of the file."""

Rows = dict[str, dict[str, str]]
"""By name, the text of that definition in each column that has it."""


def align_definitions(columns: Mapping[str, Mapping[str, str]]) -> Rows:
    """Return the rows of a comparison of `columns`, {label: its definitions}.

    Definitions of the same name share a row. Rows are in the order of the first column; what only later ones have
    stands behind what it follows there. Each column's text is in the rows, every line of it, blank ones apart.
    """
    order: list[str] = []
    for own in columns.values():
        place = 0
        for name in own:
            if name in order:
                place = order.index(name) + 1
            else:
                order.insert(place, name)
                place += 1
    return {name: {label: own[name] for label, own in columns.items() if name in own} for name in order}


def definitions(source: str, label: str) -> Definitions:
    """Return {name: text} of the top-level statements of a source, with the comments above each.

    All imports together are ``import``, the module's docstring is ``docstring``. A statement that defines no name, and
    a second one of the same name, belong to what stands before them. Raises UsageError where it is not Python.
    """
    lines = source.splitlines()
    return cut(parse_source(source, label).body, lines, 0, len(lines))


def class_definitions(source: str, label: str, name: str) -> Definitions:
    """Return the same of the statements within a class of the source; its first lines are ``class``.

    Texts are indented as they are in the file. Without such a class there are none.
    """
    lines = source.splitlines()
    for statement in parse_source(source, label).body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            first = first_line(statement.body[0])
            head = "\n".join(lines[first_line(statement) : first])
            return {"class": head, **cut(statement.body, lines, first, statement.end_lineno or len(lines))}
    return {}


def cut(body: Sequence[ast.stmt], lines: Sequence[str], first: int, end: int) -> Definitions:
    """Return {name: text} of statements that fill ``lines[first:end]``."""
    texts: dict[str, list[str]] = {}
    name, done = "docstring", first
    for statement in body:
        behind = end if statement is body[-1] else statement.end_lineno or end
        name = defined_name(statement) or name
        texts.setdefault(name, []).extend(lines[done:behind])
        done = behind
    return {name: "\n".join(text).strip("\n") for name, text in texts.items()}


def first_line(statement: ast.stmt) -> int:
    """Return the index of the line that a statement begins on, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(node.lineno for node in decorators)]) - 1


def parse_source(source: str, label: str) -> ast.Module:
    """Return the syntax tree of a source. Raises UsageError, which names `label`, where it is not Python."""
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise UsageError(f"{label}, line {error.lineno}, is not Python: {error.msg}") from error


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
