"""Programs of the worker's package that answer one question and end, in a framework's environment."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from rosettabench.catalogue.roots import worker_folder
from rosettabench.client.machine import worker_variables
from rosettabench.environments.environment import Environment
from rosettabench.errors import FailureKind, WorkerError


def run_program(
    program: str,
    words: Sequence[str],
    environment: Environment,
    backend: str | None,
    folder: Path,
    timeout: float,
    what: str,
) -> None:
    """Run a program in `folder` under the policy for workers. `what` it is to evaluate is part of each message.

    Raises WorkerError if it does not start, fails, or has not ended after `timeout` seconds.
    """
    command = [str(environment.python), str(worker_folder() / program), *words]
    variables = worker_variables(1, backend, environment.kind == "managed", folder)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            cwd=folder,
            env={**variables, **environment.variables},
        )
    except subprocess.TimeoutExpired as error:
        raise WorkerError(FailureKind.TIMEOUT, f"{what} were not evaluated within {timeout:.0f} s") from error
    except OSError as error:
        raise WorkerError(
            FailureKind.ENVIRONMENT, f"{command[0]} does not start: {error.strerror}", "rosetta env check"
        ) from error
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        why = said[-1] if said else f"exit code {done.returncode}"
        raise WorkerError(FailureKind.ERROR, f"{what} cannot be evaluated: {why}", "rosetta env check", done.stderr)
