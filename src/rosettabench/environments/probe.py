"""Ask an interpreter about itself by running a program in it; works with Python 3.6 and newer."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rosettabench.errors import EnvironmentFault

TIME_LIMIT_S = 120
"""Enough for a start from a cold disk; a warm one takes 20 ms, with NumPy 0.2 s."""

SOURCE = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import json, platform
try:
    from importlib.metadata import distributions
    packages = {d.metadata["Name"].lower(): d.version for d in distributions() if d.metadata["Name"]}
except ImportError:
    import pkg_resources
    packages = {d.project_name.lower(): d.version for d in pkg_resources.working_set}
try:
    import numpy
    numpy_fault = None
except Exception as error:
    numpy_fault = "%s: %s" % (type(error).__name__, error)
answer = {"version": platform.python_version(), "packages": packages, "numpy_fault": numpy_fault}
print("\\n" + json.dumps(answer))
"""
"""The program to run. It drops the current folder from the path, so that no file in it is imported."""


@dataclass(frozen=True)
class Answer:
    """The facts about an interpreter.

    version: "3.6.15"; packages: lower-case name → version; numpy_fault: why NumPy cannot be imported, None if it can.
    """

    version: str
    packages: dict[str, str]
    numpy_fault: str | None


def ask(python: Path) -> Answer:
    """Start the interpreter `python` and return its answer.

    Raises EnvironmentFault if it does not start or is not Python.
    """
    output = start(python, ["-c", SOURCE], TIME_LIMIT_S)
    try:
        return Answer(**json.loads(output.splitlines()[-1]))
    except (ValueError, TypeError, IndexError) as error:
        raise EnvironmentFault(f"{python} started, but did not answer as a Python does") from error


def start(python: Path, arguments: list[str], time_limit_s: float, variables: Mapping[str, str] | None = None) -> str:
    """Run the interpreter with `arguments`, and `variables` added to those of this process; return its output.

    Raises EnvironmentFault, with its last line, if it cannot be started, fails or takes too long.
    """
    command = [str(python), *arguments]
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=time_limit_s,
            env={**os.environ, **(variables or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(f"{python} had not finished after {time_limit_s:g} s") from error
    except OSError as error:
        raise EnvironmentFault(f"{python} does not start: {error.strerror}") from error
    if result.returncode != 0:
        said = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        raise EnvironmentFault(f"{python} ended with exit code {result.returncode}: {said[-1] if said else 'silently'}")
    return result.stdout
