"""The training step of a framework's adapter, read without running it.

To train, a worker calls a few methods of its adapter: CALLS. The step consists of the definitions that these calls
reach in the adapter's file: methods through ``self``, also by way of a method of the class Framework, and the top-level
names that they use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from textwrap import dedent

from rosettabench.catalogue import r_source
from rosettabench.catalogue.alignment import Definitions, class_definitions, definitions
from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.syntax import parse_python

CALLS = ("build", "load", "train", "number")
"""The methods of an adapter that a worker calls to train; `rosetta_worker.framework.Framework` describes each."""

CALLS_OF_INFERENCE = ("build", "infer")
"""The methods that a worker calls if a workload only infers."""

ADAPTER = "Adapter"
"""The name of the class in every adapter's file."""

NO_METHODS = ("class", "docstring")
"""Parts of a class that are not methods."""

Key = tuple[str, str]
"""A definition: its place (METHOD, INHERITED or TOP) and its name."""

METHOD, INHERITED, TOP = "method", "inherited", "top"

OWNERS = {"self": METHOD, "super()": INHERITED}
"""{expression: place of its attributes}: methods of the adapter itself, or of Framework."""


@dataclass(frozen=True)
class AdapterStep:
    """The definitions that make the step of an adapter.

    `rows` is {name: text} in the order in which the definitions are reached, for comparison with the steps of other
    frameworks; the method ``train`` is ``Adapter.train``. `module` is the file reduced to these definitions, in its own
    order, ready to run.
    """

    rows: Definitions
    module: Definitions


def step_of(entry: FrameworkEntry, calls: Iterable[str] = CALLS) -> AdapterStep:
    """Return the step of a framework's adapter: the definitions that `calls` reach."""
    source = entry.adapter.read_text(encoding="utf-8")
    if entry.program is not None:
        return step_in_r(source, calls)
    own, top = class_definitions(source, entry.adapter.name, ADAPTER), definitions(source, entry.adapter.name)
    base = class_definitions(
        (worker_folder() / "framework.py").read_text(encoding="utf-8"), "framework.py", "Framework"
    )
    inherited = {name: text for name, text in base.items() if name not in NO_METHODS}
    texts = {(INHERITED, name): text for name, text in inherited.items()}
    texts |= {(METHOD, name): text for name, text in (inherited | own).items() if name not in NO_METHODS}
    texts |= {(TOP, name): text for name, text in top.items() if name not in ("import", "docstring", ADAPTER)}
    found = reachable_definitions(texts, [(METHOD, name) for name in calls], mentioned_names)
    methods = [name for place, name in found if place == METHOD]
    rows = {
        f"{ADAPTER}.{name}" if place == METHOD else name: dedent(texts[place, name])
        for place, name in found
        if place == TOP or (place == METHOD and name in own)
    }
    module = {
        name: cut_class(own, methods) if name == ADAPTER else text
        for name, text in top.items()
        if (TOP, name) in found or name in ("import", ADAPTER)
    }
    return AdapterStep(rows, module)


def cut_class(own: Mapping[str, str], methods: Iterable[str]) -> str:
    """Return the text of a class with its head, its docstring and only the given methods."""
    kept = {"docstring", *methods}
    return f"{own['class']}\n" + "\n\n".join(text for name, text in own.items() if name in kept)


def step_in_r(source: str, calls: Iterable[str]) -> AdapterStep:
    """Return the step of an adapter in R, which answers the worker's requests directly and has no class."""
    texts = {(TOP, name): text for name, text in r_source.definitions(source).items() if name != "docstring"}
    requests = {"data" if name == "load" else name: f"{ADAPTER}.{name}" for name in calls}
    found = [name for _, name in reachable_definitions(texts, [(TOP, name) for name in requests], words_of_r)]
    return AdapterStep({requests.get(name, name): texts[TOP, name] for name in found}, {})


def reachable_definitions(
    texts: Mapping[Key, str], roots: Iterable[Key], mentions: Callable[[Key, str], Iterable[Key]]
) -> dict[Key, None]:
    """Return the definitions reachable from `roots` through the names that texts mention, callers before callees."""
    found: dict[Key, None] = {}
    waiting = [*roots]
    while waiting:
        key = waiting.pop(0)
        if key in texts and key not in found:
            found[key] = None
            waiting = [*mentions(key, texts[key]), *waiting]
    return found


def mentioned_names(key: Key, text: str) -> list[Key]:
    """Return the definitions that a Python text mentions, in its order: names and, in a method, members of ``self``."""
    nodes = [node for node in ast.walk(parse_python(dedent(text))) if isinstance(node, ast.Name | ast.Attribute)]
    found: list[Key] = []
    for node in sorted(nodes, key=lambda node: (node.lineno, node.end_col_offset or 0)):
        if isinstance(node, ast.Name):
            found.append((TOP, node.id))
        elif key[0] != TOP and (place := OWNERS.get(ast.unparse(node.value))):
            found.append((place, node.attr))
    return found


def words_of_r(_key: Key, text: str) -> list[Key]:
    """Return the words of an R definition, without comments, strings and members such as ``y`` in ``x$y``."""
    code = re.sub(r'#.*|"[^"\n]*"', "", text)
    return [(TOP, word) for word in re.findall(r"(?<![$\w])\w+", code)]
