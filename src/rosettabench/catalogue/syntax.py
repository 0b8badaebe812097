"""Python source as syntax trees."""

from __future__ import annotations

import ast
from threading import Lock

ALONE = Lock()
"""Held while a tree is built."""


def parse_python(source: str) -> ast.Module:
    """Return the syntax tree of Python source; raise SyntaxError if it is none.

    Trees are built one at a time. CPython 3.11.7, for one, counts the depth of those of all threads together, and
    sometimes raises SystemError where two are built at once (https://github.com/python/cpython/issues/106905).
    """
    with ALONE:
        return ast.parse(source)
