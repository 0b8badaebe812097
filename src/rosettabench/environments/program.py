"""Run the programs that make environments. Each has its own process group, so that its children end with it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

RUNNING: set[subprocess.Popen[str]] = set()
"""All programs of this process that are running."""


@contextmanager
def program(
    command: Sequence[str],
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    keep: Sequence[int] = (),
) -> Iterator[subprocess.Popen[str]]:
    """Start a program, lend it, and wait for its end; end it if an exception is raised meanwhile.

    `stdout` yields the lines of its output. `keep` are descriptors that it inherits.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        pass_fds=keep,
        start_new_session=True,
    ) as process:
        RUNNING.add(process)
        try:
            yield process
        except BaseException:
            end(process)
            raise
        finally:
            process.wait()
            RUNNING.discard(process)


def end_programs() -> None:
    """End every program and its children."""
    for process in list(RUNNING):
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    """End a program and its children."""
    with suppress(ProcessLookupError, PermissionError):  # the group has no process left
        os.killpg(process.pid, signal.SIGTERM)
