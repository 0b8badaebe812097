"""Digest the meaning of a source file: its syntax tree, without the parts that only people read.

Certificates are bound to the meaning. They survive changes of comments, docstrings, blank lines and line breaks, but
not of a constant, a call or the name of a variable.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from rosettabench.catalogue.syntax import parse_python
from rosettabench.files import once_per_change

PYTHON = ".py"
"""The suffix of files with a syntax tree. For files in another language, the whole text counts."""

FOR_PEOPLE = "DESCRIPTION"
"""A literal in an adapter that only the controller reads: titles, sentences, names of locks. Workers do not use it."""


def digest_of(files: Sequence[Path]) -> str:
    """Return the sha256 over the names and meanings of files, whatever their folders."""
    return sha256("".join(sorted(f"{path.name}{file_digest(path)}" for path in files)).encode()).hexdigest()


@once_per_change
def file_digest(path: Path) -> str:
    """Return the sha256 of a file's meaning."""
    text = path.read_text(encoding="utf-8")
    return python_digest(text) if path.suffix == PYTHON else sha256(text.encode()).hexdigest()


def python_digest(source: str) -> str:
    """Return the sha256 of the meaning of Python source, equal in every version of Python that can parse it."""
    return sha256(tree_text(parse_python(source)).encode()).hexdigest()


def tree_text(value: object) -> str:
    """Return a syntax tree as text: every node with its fields, without positions and empty fields.

    Newer versions of Python add fields, which are empty for older code.
    """
    if isinstance(value, ast.AST):
        fields = ((name, field) for name, field in ast.iter_fields(value) if field is not None and field != [])
        return f"{type(value).__name__}({','.join(f'{name}={tree_text(field)}' for name, field in fields)})"
    if isinstance(value, list):
        return f"[{','.join(tree_text(item) for item in value if not is_for_people(item))}]"
    return repr(value)


def is_for_people(node: object) -> bool:
    """Return whether a statement computes nothing: a bare string, such as a docstring, or an adapter's description."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == FOR_PEOPLE
