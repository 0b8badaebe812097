"""The training step of a framework's adapter, read without running it.

A worker trains with a few calls of its adapter: CALLS. The step is what these calls reach in the adapter's file:
methods by way of ``self``, also through a method that the class Framework has, and whatever they name at the top level.
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

CALLS = ("build", "load", "train", "number")
"""The methods of an adapter that a worker calls to train: `rosetta_worker.framework.Framework` says what each does."""

CALLS_OF_INFERENCE = ("build", "infer")
"""The same where a workload only infers."""

ADAPTER = "Adapter"
"""The class that every adapter's file defines."""

NO_METHODS = ("class", "docstring")
"""What a class holds besides."""

Key = tuple[str, str]
"""A definition: where it is, METHOD, INHERITED or TOP, and its name."""

METHOD, INHERITED, TOP = "method", "inherited", "top"

OWNERS = {"self": METHOD, "super()": INHERITED}
"""Whose attributes are methods of the adapter, or of Framework."""


@dataclass(frozen=True)
class AdapterStep:
    """The definitions of an adapter that make its step.

    `rows` is {name: text} in the order in which they are reached, to be set beside other frameworks' steps:
    ``Adapter.train`` is the method of that name. `module` is what is left of the file, in its order, ready to run.
    """

    rows: Definitions
    module: Definitions


def step_of(entry: FrameworkEntry, calls: Iterable[str] = CALLS) -> AdapterStep:
    """Return the step of a framework's adapter: what `calls` reach."""
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
    """Return the text of a class with its head, its docstring, and some of its methods."""
    kept = {"docstring", *methods}
    return f"{own['class']}\n" + "\n\n".join(text for name, text in own.items() if name in kept)


def step_in_r(source: str, calls: Iterable[str]) -> AdapterStep:
    """Return the step of an adapter in R, which answers the worker's requests itself; it has no class."""
    texts = {(TOP, name): text for name, text in r_source.definitions(source).items() if name != "docstring"}
    requests = {"data" if name == "load" else name: f"{ADAPTER}.{name}" for name in calls}
    found = [name for _, name in reachable_definitions(texts, [(TOP, name) for name in requests], words_of_r)]
    return AdapterStep({requests.get(name, name): texts[TOP, name] for name in found}, {})


def reachable_definitions(
    texts: Mapping[Key, str], roots: Iterable[Key], mentions: Callable[[Key, str], Iterable[Key]]
) -> dict[Key, None]:
    """Return the definitions that can be reached from `roots` by what each text mentions, each before what it needs."""
    found: dict[Key, None] = {}
    waiting = [*roots]
    while waiting:
        key = waiting.pop(0)
        if key in texts and key not in found:
            found[key] = None
            waiting = [*mentions(key, texts[key]), *waiting]
    return found


def mentioned_names(key: Key, text: str) -> list[Key]:
    """Return what a definition in Python mentions, in its order: names, in a method also attributes of ``self``."""
    nodes = [node for node in ast.walk(ast.parse(dedent(text))) if isinstance(node, ast.Name | ast.Attribute)]
    found: list[Key] = []
    for node in sorted(nodes, key=lambda node: (node.lineno, node.end_col_offset or 0)):
        if isinstance(node, ast.Name):
            found.append((TOP, node.id))
        elif key[0] != TOP and (place := OWNERS.get(ast.unparse(node.value))):
            found.append((place, node.attr))
    return found


def words_of_r(_key: Key, text: str) -> list[Key]:
    """Return the words of a definition in R, without those of comments and strings, and without members: ``x$y``."""
    code = re.sub(r'#.*|"[^"\n]*"', "", text)
    return [(TOP, word) for word in re.findall(r"(?<![$\w])\w+", code)]
