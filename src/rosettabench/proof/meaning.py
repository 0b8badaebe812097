"""What a source file means: its syntax tree, without what only people read.

A certificate is bound to that. Comments, docstrings, blank lines and line breaks may change, and it stands; a constant,
a call or the name of a variable may not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

PYTHON = ".py"
"""The suffix of the files whose meaning we can read. A file in another language means its text."""

FOR_PEOPLE = "DESCRIPTION"
"""A literal of an adapter that the laboratory reads: titles, sentences, names of locks. No worker computes with it."""


def digest_of(files: Sequence[Path]) -> str:
    """Return the sha256 over the names and meanings of files, wherever they lie."""
    return sha256("".join(sorted(f"{path.name}{file_digest(path)}" for path in files)).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the sha256 of what a file means."""
    text = path.read_text(encoding="utf-8")
    return python_digest(text) if path.suffix == PYTHON else sha256(text.encode()).hexdigest()


@cache
def python_digest(source: str) -> str:
    """Return the sha256 of what Python source means; the same under every version of Python that can read it."""
    return sha256(tree_text(ast.parse(source)).encode()).hexdigest()


def tree_text(value: object) -> str:
    """Return a syntax tree as text: every node with its fields, without positions and fields that are empty.

    Newer versions of Python add fields, which are empty in older code.
    """
    if isinstance(value, ast.AST):
        fields = ((name, field) for name, field in ast.iter_fields(value) if field is not None and field != [])
        return f"{type(value).__name__}({','.join(f'{name}={tree_text(field)}' for name, field in fields)})"
    if isinstance(value, list):
        return f"[{','.join(tree_text(item) for item in value if not is_for_people(item))}]"
    return repr(value)


def is_for_people(node: object) -> bool:
    """Whether a statement computes nothing: a string by itself, such as a docstring, or an adapter's description."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == FOR_PEOPLE
