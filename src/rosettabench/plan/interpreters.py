"""The user's own interpreters: one for all frameworks, or one for each named framework."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.names import nearest
from rosettabench.environments.environment import check_interpreter
from rosettabench.errors import UsageError


def read_interpreters(words: Iterable[str]) -> tuple[Path | None, dict[str, Path]]:
    """Read ``/my/venv/bin/python`` and any number of ``pytorch=/my/venv/bin/python``.

    Return the interpreter of all frameworks and {framework: its own}. Raises UsageError for an unknown framework or one
    that is named twice, EnvironmentFault for an interpreter that is not there.
    """
    common: Path | None = None
    own: dict[str, Path] = {}
    known = {one.implementation_name for one in competing_frameworks().values()} | {*competing_frameworks()}
    for word in words:
        name, equals, path = word.partition("=")
        named = equals and "/" not in name
        python = Path(path if named else word)
        check_interpreter(python)
        if not named and common is not None:
            raise UsageError("--python names two interpreters for all frameworks", "Write --python framework=path.")
        if named and name in own:
            raise UsageError(f"--python names {name} twice", "Leave one of the two out.")
        if named:
            own[nearest("framework", name, known)] = python.absolute()
        else:
            common = python.absolute()
    return common, own
