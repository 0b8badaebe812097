"""Run uv, which makes the environments, with pip's configuration and a log; turn its errors into advice."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from rosettabench.environments.pip_configuration import uv_variables
from rosettabench.environments.program import program
from rosettabench.errors import EnvironmentFault

Progress = Callable[[str], None]
"""A function that shows the user one line at a time."""

DETAILS = (" + ", " - ", " ~ ", "Using Python")
"""Prefixes of the lines of uv, one per package, that only go to the log."""

CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
HINTS = {
    r"No space left|os error 28": "Free some space on that disk, or set ROSETTA_CACHE to a folder on another one.",
    r"Permission denied|os error 13": "Make that folder writable, or set ROSETTA_CACHE to one that is.",
    r"certificate|UnknownIssuer": "Name your organisation's certificate: pip config set global.cert /path/to/it.pem",
    r"dns|resolv(e|ing) DNS|Connect|timed out|Request failed|Failed to fetch": (
        "Check the network; behind a mirror, set it for pip (pip config set global.index-url URL): it is used here too."
    ),
    r"No solution|not found in the package registry": (
        "The package index does not have it. pip config list shows which index is used."
    ),
}
"""The advice for a pattern in uv's output; the first match counts."""


def uv_path() -> Path:
    """Return the uv that was installed with Rosettabench; raise EnvironmentFault if it is missing."""
    import uv

    try:
        return Path(uv.find_uv_bin())
    except FileNotFoundError as error:
        raise EnvironmentFault(
            "the program uv is missing from Rosettabench's environment", "Run: pip install uv"
        ) from error


class Installer:
    """Runs uv for one environment.

    The file `log` gets all output of uv, without credentials; `progress` gets its lines as they come; `lock` is the
    descriptor of the locked file, which uv inherits.
    """

    def __init__(self, log: Path, progress: Progress, lock: int) -> None:
        """Copy this process's variables for uv, and forbid uv to download a Python. No process starts yet."""
        self.log = log
        self.progress = progress
        self.lock = lock
        self.variables = {**os.environ, **uv_variables(), "UV_PYTHON_DOWNLOADS": "never"}
        self.variables.pop("COLUMNS", None)  # uv would wrap its lines at that width

    def run(self, what: str, arguments: Sequence[str]) -> None:
        """Run uv; raise EnvironmentFault "`what` failed: …", with its decisive line, if it fails."""
        exit_code, lines = self._run(arguments, self.progress)
        if exit_code != 0:
            raise EnvironmentFault(f"{what} failed: {decisive(lines)}", f"{advice(lines)} Log: {self.log}")

    def plan(self, arguments: Sequence[str]) -> list[str] | None:
        """Run uv without showing its lines, for a dry run; return the lines, or None if it failed."""
        exit_code, lines = self._run(arguments, lambda line: None)
        return lines if exit_code == 0 else None

    def _run(self, arguments: Sequence[str], progress: Progress) -> tuple[int, list[str]]:
        """Run uv with its output in the log; return its exit code and its lines."""
        lines: list[str] = []
        with (
            self.log.open("a", encoding="utf-8") as log,
            program(
                [str(uv_path()), *arguments],
                self.log.parent,  # not the user's project, whose settings uv would obey
                self.variables,
                (self.lock,),  # if this process is killed, uv goes on: the lock must live as long as uv
            ) as process,
        ):
            for raw in process.stdout or ():
                line = CREDENTIALS.sub("", raw.rstrip())
                log.write(line + "\n")
                lines.append(line)
                if not line.startswith(DETAILS):
                    progress(line)
        return process.returncode, lines


def decisive(lines: Sequence[str]) -> str:
    """Return the essence of uv's output about a failure: its error, and the last cause."""
    errors = [line.split("error:", 1)[1].strip() for line in lines if line.startswith("error:")]
    causes = [line.split("cause:", 1)[1].strip() for line in lines if line.startswith("  cause:")]
    quoted = [line.strip() for line in lines[-1:] if any("[stderr]" in other for other in lines)]
    spoken = [line.strip() for line in lines if line.strip()]
    parts = [*errors[:1], *(quoted or causes[-1:])] or spoken[-1:]
    return ": ".join(parts) or "it said nothing"


def advice(lines: Sequence[str]) -> str:
    """Return what the user can do about a failure of uv."""
    text = "\n".join(lines)
    for pattern, hint in HINTS.items():
        if re.search(pattern, text):
            return hint
    return "See the log for details."
