"""Find an interpreter of the Python version that a lock asks for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rosettabench.environments.installer import uv_path
from rosettabench.errors import EnvironmentFault

TIME_LIMIT_S = 20
QUESTION = "import sys; print('%d.%d' % sys.version_info[:2])"


def find_interpreter(version: str) -> Path:
    """Return an interpreter of `version` ("3.11") that starts and says it is that version.

    The order of the search: the variable ROSETTA_PYTHON_3_11, the running interpreter, ``python3.11`` on PATH, pyenv's
    versions, uv's own. If there is none, it raises EnvironmentFault with the command that installs one.
    """
    variable = "ROSETTA_PYTHON_" + version.replace(".", "_")
    chosen = os.environ.get(variable)
    if chosen:
        found = reported_version(Path(chosen))
        if found != version:
            raise EnvironmentFault(
                f"{variable} names {chosen}, which {'is Python ' + found if found else 'does not start'}",
                f"Let it name a Python {version}, or unset it.",
            )
        return Path(chosen).absolute()
    for candidate in candidates(version):
        if reported_version(candidate) == version:
            return candidate
    raise EnvironmentFault(f"no Python {version} was found on this machine", remedy(version, variable))


def candidates(version: str) -> Iterator[Path]:
    """Yield files that may be a Python of `version`, the likeliest first."""
    if "{}.{}".format(*sys.version_info) == version:
        yield Path(sys.executable)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        program = Path(folder) / f"python{version}"
        # pyenv's shims start another interpreter depending on the folder; pyenv's interpreters follow below
        if folder and Path(folder) != pyenv_root() / "shims" and os.access(program, os.X_OK):
            yield program.absolute()
    newest_first = sorted((pyenv_root() / "versions").glob(f"{version}.*"), key=patch_number, reverse=True)
    yield from (folder / "bin" / "python" for folder in newest_first)
    yield from uv_managed(version)


def reported_version(python: Path) -> str | None:
    """Return the version ("3.11") that `python` reports; None if it does not start.

    A pyenv shim of an inactive version exists, but exits with 127.
    """
    try:
        result = subprocess.run(
            [str(python), "-I", "-c", QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def pyenv_root() -> Path:
    """Return the folder of pyenv, which need not exist."""
    return Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")


def patch_number(folder: Path) -> int:
    """Return the 7 of ``…/3.11.7``; -1 for names such as ``3.13.0rc1`` or ``3.11-dev``."""
    last = folder.name.rpartition(".")[2]
    return int(last) if last.isdigit() else -1


def uv_managed(version: str) -> Iterator[Path]:
    """Yield the interpreter of `version` that uv has installed, if any."""
    command = [str(uv_path()), "python", "find", "--managed-python", "--no-project", "--no-python-downloads", version]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode == 0:
        yield Path(result.stdout.strip())


def remedy(version: str, variable: str) -> str:
    """Return the command that installs a Python of `version`."""
    own = f"or set {variable} to one that you have"
    if shutil.which("pyenv") or pyenv_root().is_dir():
        return f"Run: pyenv install {version} ({own})."
    if int(version.partition(".")[2]) >= 8:
        return f"Run: {uv_path()} python install {version} ({own})."
    return f"uv brings none that old: install pyenv, then run: pyenv install {version} ({own})."
