"""The controller's functions: each says what it does, and fits on a screen."""

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[1] / "src" / "rosettabench"

MOST_LINES = 50
"""Of a function, its signature and its docstring included."""

FUNCTIONS = [
    (path.relative_to(ROOM), node)
    for path in sorted(ROOM.rglob("*.py"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
]


def test_none_is_longer_than_a_screen():
    lengths = {f"{path}: {node.name}": node.end_lineno - node.lineno + 1 for path, node in FUNCTIONS}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_each_has_a_docstring():
    bare = [f"{path}: {node.name}" for path, node in FUNCTIONS if not ast.get_docstring(node)]
    assert bare == []


def test_the_names_of_classes_are_unique():
    found = {}
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(ROOM)))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


@pytest.mark.parametrize("name", ["helpers", "utils", "misc", "common"])
def test_there_is_no_drawer_for_helpers(name):
    assert not list(ROOM.rglob(f"{name}.py"))
