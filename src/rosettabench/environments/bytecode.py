"""The bytecode of an environment, written when it is made: else the time of the first import would include it."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory

from rosettabench.environments.check import IMPORT_LIMIT_S
from rosettabench.environments.program import program
from rosettabench.errors import EnvironmentFault

OWN_TESTS = r"[/\\]site-packages[/\\].+[/\\](tests?|testing[/\\]_internal)[/\\]"
"""Files of packages that are never imported: their tests, and the internal testing code of PyTorch."""


def write_bytecode(python: Path, folder: Path, modules: Sequence[str]) -> None:
    """Write the bytecode of `modules` and of all that they import; of all packages in `folder` if `modules` is empty.

    A framework imports half of what is installed with it, or less. Some files are still compiled at their first use: of
    PyTorch, 227 of the 2,394 that a first step in compiled mode reads, and one of those in eager mode. If one of the
    modules cannot be imported, the worker that needs it will say so; then all packages are compiled, too.
    """
    if not (modules and import_all(python, modules)):
        compile_all(python, folder)


def import_all(python: Path, modules: Sequence[str]) -> bool:
    """Import `modules` in a new interpreter, which writes what it compiles; return whether that worked.

    The user's variables for Python do not count, and packages find an empty home: Keras writes its settings there.
    """
    with TemporaryDirectory(prefix="rosetta-home-") as home, suppress(TimeoutExpired):
        command = [str(python), "-I", "-c", f"import {', '.join(modules)}"]
        with program(command, Path(home), {**os.environ, "HOME": home}) as process:
            process.communicate(timeout=IMPORT_LIMIT_S)
        return process.returncode == 0
    return False


def compile_all(python: Path, folder: Path) -> None:
    """Compile the packages in `folder`, but not their tests, which are a fifth of some environments.

    Files that are not valid Python, or that are for another version, fail and are never imported. (uv's own
    --compile-bytecode needs Python 3.7.)

    Raises EnvironmentFault if a signal ended it.
    """
    command = [str(python), "-I", "-m", "compileall", "-q", "-j", "0", "-x", OWN_TESTS, str(folder)]
    with program(command) as process:
        process.communicate()
    if process.returncode < 0:
        raise EnvironmentFault(
            f"compiling {folder} to bytecode was ended by {signal.Signals(-process.returncode).name}"
        )
