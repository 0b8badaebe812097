"""Programs that make environments. Each leads a process group of its own, so that it is ended with all its children."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

RUNNING: set[subprocess.Popen[str]] = set()
"""Every program of this process that has not ended yet."""


@contextmanager
def program(
    command: Sequence[str],
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    keep: Sequence[int] = (),
) -> Iterator[subprocess.Popen[str]]:
    """Start a program and lend it; wait for its end. It is ended if what is done with it is interrupted.

    Its output comes as lines from `stdout`. `keep` are descriptors that it inherits.
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
    """End every program and its children; the threads that wait for one learn of its end."""
    for process in list(RUNNING):
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    """End a program and its children."""
    with suppress(ProcessLookupError, PermissionError):  # nobody is left of the group
        os.killpg(process.pid, signal.SIGTERM)
