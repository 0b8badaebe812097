"""The command line for tests: every command has a process of its own.

Its imports take longer than most commands, so the process is forked from one that has made them. Whoever tests signals,
terminals, closed pipes or the imports themselves begins a process from nothing instead: `fresh`.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rosettabench.cli import main

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        *("rosettabench.cli", "rosettabench.cli.laboratory", "rosettabench.lab.run", "rosettabench.published.fitting"),
        *("rosettabench.proof.register", "rosettabench.report.formats.terminal", "rosettabench.summary.run"),
        *("scipy.stats", "typer._adapters"),
    ]
)

PATH = "PYTHONPATH"
FROM_NOTHING = ("PYTHON", "LANG", "LC_")
"""Beginnings of variables that Python reads when it begins; of these, a forked process can still follow PATH."""


def fresh(*words):
    """Return the command that runs ``rosetta`` with some words, for subprocess."""
    return [sys.executable, "-m", "rosettabench.cli", *map(str, words)]


def run_command(words, variables, folder=None, seconds=None):
    """Run ``rosetta`` with some words, environment variables and a working folder; return the finished process.

    A command that takes longer than `seconds` is ended, and subprocess.TimeoutExpired raised.
    """
    words = list(map(str, words))
    if any(is_read_at_the_beginning(name) for name, _ in set(variables.items()) ^ set(os.environ.items())):
        return subprocess.run(
            fresh(*words),
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    with tempfile.TemporaryDirectory() as place:
        said = [Path(place) / name for name in ("out", "err")]
        process = FORKS.Process(target=act, args=(words, dict(variables), str(folder or Path.cwd()), said))
        process.start()
        process.join(seconds)
        if process.is_alive():
            process.terminate()
            process.join()
            raise subprocess.TimeoutExpired(words, seconds)
        return subprocess.CompletedProcess(words, process.exitcode, *(path.read_text() for path in said))


def is_read_at_the_beginning(name):
    """Whether a forked process would come too late for a variable."""
    return name.startswith(FROM_NOTHING) and name != PATH


def act(words, variables, folder, said):
    """Become ``rosetta``: the forked process."""
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    sys.path[:0] = filter(None, variables.get(PATH, "").split(os.pathsep))
    for number, path in enumerate([os.devnull, *said]):
        handle = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(handle, number)
        os.close(handle)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
    sys.argv = ["rosetta", *words]
    sys.exit(main())
