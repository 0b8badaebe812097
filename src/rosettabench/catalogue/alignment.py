"""Cut source files into definitions, and align the definitions of several files."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from rosettabench.catalogue.syntax import parse_python
from rosettabench.errors import UsageError

Definitions = dict[str, str]
"""{name: text of a definition}, in the order of the file."""

Rows = dict[str, dict[str, str]]
"""{name: {column: text of that definition}}, without the columns that lack it."""


def align_definitions(columns: Mapping[str, Mapping[str, str]]) -> Rows:
    """Return the rows of a comparison of `columns`, {label: its definitions}.

    Definitions of the same name share a row. Rows are in the order of the first column. A definition that only a later
    column has comes after the definition that precedes it there. Together, the rows hold every line of every column
    except blank lines.
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

    All imports together are ``import``; the module's docstring is ``docstring``. A statement that defines no name is
    appended to the definition before it, a repeated name to its first definition. Raises UsageError if the source is
    not Python.
    """
    lines = source.splitlines()
    return cut(parse_source(source, label).body, lines, 0, len(lines))


def class_definitions(source: str, label: str, name: str) -> Definitions:
    """Return {name: text} of the statements within a class of the source; the first lines of the class are ``class``.

    Texts keep the indentation of the file. Empty if the source has no such class. Raises UsageError if it is not
    Python.
    """
    lines = source.splitlines()
    for statement in parse_source(source, label).body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            first = first_line(statement.body[0])
            head = "\n".join(lines[first_line(statement) : first])
            return {"class": head, **cut(statement.body, lines, first, statement.end_lineno or len(lines))}
    return {}


def cut(body: Sequence[ast.stmt], lines: Sequence[str], first: int, end: int) -> Definitions:
    """Return {name: text} of the statements that fill ``lines[first:end]``."""
    texts: dict[str, list[str]] = {}
    name, done = "docstring", first
    for statement in body:
        behind = end if statement is body[-1] else statement.end_lineno or end
        name = defined_name(statement) or name
        texts.setdefault(name, []).extend(lines[done:behind])
        done = behind
    return {name: "\n".join(text).strip("\n") for name, text in texts.items()}


def first_line(statement: ast.stmt) -> int:
    """Return the index of the first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(node.lineno for node in decorators)]) - 1


def parse_source(source: str, label: str) -> ast.Module:
    """Return the syntax tree of a source. Raises UsageError, which names `label`, if the source is not Python."""
    try:
        return parse_python(source)
    except SyntaxError as error:
        raise UsageError(f"{label}, line {error.lineno}, is not Python: {error.msg}") from error


def defined_name(statement: ast.stmt) -> str | None:
    """Return the name that a statement defines, by which other files are aligned; None if it defines none."""
    match statement:
        case ast.Import() | ast.ImportFrom():
            return "import"
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target):
            return ast.unparse(target)
        case _:
            return None
