"""Modules that several implementations import: ``rosetta_worker.layers.<network>.<framework>``."""

from __future__ import annotations

import re
from pathlib import Path

from rosettabench.catalogue.roots import worker_folder

IMPORT = re.compile(r"^from rosetta_worker\.layers\.(\w+)\.(\w+) import ([\w, ]+).*\n", flags=re.MULTILINE)
"""The import of a shared module in an implementation: on one line, by name."""


DOCSTRING = re.compile(r'\A""".*?"""\n+', flags=re.DOTALL)
"""The docstring of a shared module, which is dropped: the implementation has its own."""


def read_whole(path: Path) -> str:
    """Return the text of an implementation, with each import of a shared module replaced by the module's whole text."""
    text = path.read_text(encoding="utf-8")
    return IMPORT.sub(lambda found: DOCSTRING.sub("", read_whole(module_file(found))), text)


def shared_modules(source: str) -> dict[Path, list[str]]:
    """Return {file of a shared module: names that an implementation imports from it}."""
    return {module_file(found): found[3].replace(" ", "").split(",") for found in IMPORT.finditer(source)}


def shared_files(path: Path) -> set[Path]:
    """Return the files of the shared modules that a file imports, and of those that these import."""
    own = set(shared_modules(path.read_text(encoding="utf-8")))
    return own.union(*(shared_files(file) for file in own))


def module_file(found: re.Match[str]) -> Path:
    """Return the file of the module that an import names."""
    return worker_folder() / "layers" / found[1] / f"{found[2]}.py"
