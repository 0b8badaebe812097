"""The way data flows: a room imports only rooms below it, and no module imports itself by way of others."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rosettabench

HOUSE = Path(rosettabench.__file__).parent

ROOMS = [
    *("errors", "places", "files", "statistics", "resources", "catalogue", "data", "environments", "store", "plan"),
    *("client", "proof", "watch", "lab", "ceilings", "shipped", "reasons", "cluster"),
    *("summary", "published", "history", "verify", "evidence", "port", "convert", "report", "api", "cli"),
]
"""Bottom up (docs/explanation/architecture.md)."""


@cache
def modules() -> dict[str, set[str]]:
    """Return {module: modules of the house that it imports, type annotations included}."""
    names = {".".join(path.relative_to(HOUSE).with_suffix("").parts): path for path in HOUSE.rglob("*.py")}
    return {name: {*imported_by(path, {*names})} for name, path in names.items()}


def imported_by(path: Path, names: set[str]) -> Iterator[str]:
    """Yield which of the modules `names` a file imports, as modules or by something in them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "rosettabench":
            module = str(node.module).removeprefix("rosettabench").lstrip(".")
            asked = {module} | {f"{module}.{alias.name}".lstrip(".") for alias in node.names}
            yield from asked & names
        elif isinstance(node, ast.Import):
            yield from {alias.name.removeprefix("rosettabench").lstrip(".") for alias in node.names} & names


def test_a_room_imports_only_rooms_below_it():
    upwards = [
        f"{name} imports {other}"
        for name, imported in modules().items()
        for other in imported
        if (room := name.partition(".")[0]) in ROOMS
        and (below := other.partition(".")[0]) in ROOMS
        and ROOMS.index(below) > ROOMS.index(room)
    ]
    assert not upwards
    assert {name.partition(".")[0] for name in modules()} <= {*ROOMS, "__init__"}


def test_no_module_imports_itself_by_way_of_others():
    left = {name: {*imported} - {name} for name, imported in modules().items()}
    while free := [name for name, imported in left.items() if not imported & left.keys()]:
        for name in free:
            del left[name]
    assert not left, f"a circle goes through some of {sorted(left)}"
