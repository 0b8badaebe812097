"""The command line, ``rosetta``: one thin file per command."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from types import FrameType
from typing import Annotated

import typer

from rosettabench import __version__
from rosettabench.cli.lazy import CommandInterrupted, CommandPlace, LazyGroup, verbatim
from rosettabench.errors import RosettaError

DEBUG = "ROSETTA_DEBUG"
"""The environment variable that makes errors show their traceback, unless it is empty or 0."""

SIGNALLED = 128
"""The exit code after a signal is this plus the signal's number, as in shells."""

INTERRUPTED = SIGNALLED + signal.SIGINT
"""The exit code after Ctrl-C."""

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a program to end. They end a run like Ctrl-C: workers are stopped, and the report is written."""

OTHER_ENDS = {
    0: (
        "success",
        "Everything that the command asked for was done. Under `--budget`, everything that fitted; the rest is listed.",
    ),
    1: (
        "unexpected",
        "An error in Rosettabench, reported in one sentence. A file that the system refuses to read or write, if no "
        "other code applies. Also, without a message, if the reader of the output stopped reading, as `head` does.",
    ),
    SIGNALLED + signal.SIGHUP: (
        "hung up",
        "SIGHUP: the terminal went away (not under `nohup`, which ignores it). Otherwise as 130.",
    ),
    INTERRUPTED: ("interrupted", "Ctrl-C. What was measured is in the store, and `rosetta resume` continues it."),
    SIGNALLED + signal.SIGTERM: ("ended", "SIGTERM. Otherwise as 130."),
}
"""Exit codes that belong to no class of errors: {code: (a word, sentences on when a command ends with it)}."""

AGAIN = "Run it again with --debug for the traceback."

REFUSALS = {
    errno.ENOSPC: "Free some space, or name another place with ROSETTA_CACHE, --store or --output.",
    errno.EDQUOT: "Your quota is used up: free some space, or name another place with ROSETTA_CACHE or --store.",
    errno.EACCES: "Give yourself permission there, or name another place with ROSETTA_CACHE, --store or --output.",
    errno.EROFS: "Name a place that can be written with ROSETTA_CACHE, --store or --output.",
    errno.EFBIG: "The limit on the size of files is too low (ulimit -f): raise it.",
    errno.EMFILE: "The limit on open files is too low (ulimit -n): raise it.",
    errno.ENOMEM: "There is not enough memory, or the limit on it is too low (ulimit -v).",
}
"""{error number of the system: advice}, for errors that no other part of the program explains better."""

CONTROL = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\n\t"}
"""Control characters are escaped, since terminals obey them, and an error may quote text from a file or a framework."""


LONGEST_WORD = 1000
"""The longest word, in characters, that an error repeats completely."""


class Rosetta(LazyGroup):
    """All commands of ``rosetta``, in the order of the help page."""

    table = {  # noqa: RUF012 (typer makes the only instance)
        "run": CommandPlace(
            "rosettabench.cli.run", "run", "Prove that contenders do equal work, then time them in turns."
        ),
        "resume": CommandPlace("rosettabench.cli.run", "resume", "Continue a run that was interrupted."),
        "prove": CommandPlace("rosettabench.cli.prove", "prove", "Prove equal work, and print the certificates."),
        "new": CommandPlace("rosettabench.cli.new", "new", "Make a folder for a model of your own and its ports."),
        "explain": CommandPlace(
            "rosettabench.cli.explain", "explain", "Say where the difference between contenders lies."
        ),
        "shipped": CommandPlace(
            "rosettabench.cli.shipped", "shipped", "Let libraries train as they are shipped: not equal work."
        ),
        "peak": CommandPlace("rosettabench.cli.peak", "peak", "Measure what this machine can do: products and copies."),
        "verify": CommandPlace(
            "rosettabench.cli.verify", "verify", "Say whether an installation is as fast as it should be."
        ),
        "compare": CommandPlace(
            "rosettabench.cli.compare", "compare", "Say what got slower or faster between two runs."
        ),
        "history": CommandPlace(
            "rosettabench.cli.history", "history", "Show a trial over time, and when it got slower or faster."
        ),
        "report": CommandPlace("rosettabench.cli.report", "report", "Make the report of a run again, from the store."),
        "export-run": CommandPlace(
            "rosettabench.cli.export_run",
            "export_run",
            "Write a run to a file that another machine can check and repeat.",
        ),
        "repeat": CommandPlace(
            "rosettabench.cli.repeat", "repeat", "Check a file of rosetta export-run, and measure it again here."
        ),
        "store": CommandPlace("rosettabench.cli.store", "app", "Describe, merge and copy stores of results."),
        "site": CommandPlace("rosettabench.cli.site", "site", "Write a static site from a store."),
        "claims": CommandPlace(
            "rosettabench.cli.claims",
            "claims",
            "List what published studies claim, and whether it holds on the machines in the store.",
        ),
        "env": CommandPlace(
            "rosettabench.cli.env", "app", "List, make, check and remove the environments that frameworks run in."
        ),
        "matrix": CommandPlace(
            "rosettabench.cli.matrix", "matrix", "Show which framework does what, and whether it is proven."
        ),
        "shares": CommandPlace(
            "rosettabench.cli.shares",
            "shares",
            "Show which share of the machine's measured ceiling every cell reaches.",
        ),
        "list": CommandPlace("rosettabench.cli.list", "list_catalogue", "List what there is and what is installed."),
        "show": CommandPlace("rosettabench.cli.show", "show", "Show a workload's implementations side by side."),
        "convert": CommandPlace(
            "rosettabench.cli.convert", "convert", "Carry weights over from one framework to another."
        ),
        "export": CommandPlace("rosettabench.cli.export", "export", "Export a model to ONNX."),
        "doctor": CommandPlace(
            "rosettabench.cli.doctor", "doctor", "Say what is missing on this machine and how noisy it is."
        ),
        "calibrate": CommandPlace(
            "rosettabench.cli.calibrate", "calibrate", "Measure how often verdicts are wrong on this machine."
        ),
        "data": CommandPlace("rosettabench.cli.data", "data", "Prepare data sets, and check them."),
    }


app = typer.Typer(
    cls=Rosetta,
    rich_markup_mode=None,  # importing rich would take two thirds of the time of --help
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=verbatim(
        """
Example: rosetta run
Example: rosetta run imdb-gru -f pytorch,mxnet-gluon:compiled
Example: rosetta show imdb-gru -f pytorch,jax
        """
    ),
)


def debug_shown(value: bool) -> None:
    """Switch on tracebacks for this process and those that it starts."""
    if value:
        os.environ[DEBUG] = "1"


def version_shown(value: bool) -> None:
    """Print the version and exit."""
    if value:
        typer.echo(f"rosettabench {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def rosetta(
    context: typer.Context,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            help=f"Show the traceback of an error (or set {DEBUG}=1).",
            callback=debug_shown,
            is_eager=True,
            expose_value=False,  # LazyGroup passes this option to all commands, which do not expect it
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=version_shown, is_eager=True)
    ] = False,
) -> None:
    """Which deep-learning framework does a job best: equal work, proven; then timed.

    Every command explains itself: rosetta COMMAND --help
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


class Ending:
    """The handler of the signals in ENDING: it ends the program like Ctrl-C and keeps the signal's `number`."""

    number: int | None = None

    def heed(self) -> None:
        """Handle these signals from now on. A signal that is ignored, as under nohup, stays ignored."""
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._end)

    def exit_code(self, code: int) -> int:
        """Return the exit code of a program that would otherwise end with `code`."""
        return SIGNALLED + self.number if self.number and code == INTERRUPTED else code

    def _end(self, number: int, _frame: FrameType | None) -> None:
        """Keep the signal's number, and interrupt the program."""
        self.number = number
        raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`arguments`, or those of the process) and return the exit code.

    docs/reference/exit-codes.md lists the codes.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × shows a ? instead of a traceback
    warnings.showwarning = tell_warning
    ending = Ending()
    ending.heed()
    code = ending.exit_code(attempt(arguments))
    eval("0")  # noqa: S307 (if Ctrl-C met the making of a dataclass, CPython would end by the signal; this makes it forget)
    try:
        sys.stdout.flush()
    except OSError:  # reported already, or the reader has gone; without this, Python complains when it closes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def attempt(arguments: Sequence[str] | None) -> int:
    """Run the command line, report an error if there is one, and return the exit code."""
    try:
        code = typer.main.get_command(app).main(arguments, prog_name="rosetta", standalone_mode=False)
        sys.stdout.flush()  # here a failure can still be reported
    except RosettaError as error:
        return complain(error, error.what, error.hint, error.exit_code)
    except typer.TyperException as error:
        return complain(error, error.format_message(), help_hint(error), error.exit_code)
    except CommandInterrupted as interruption:
        typer.echo(str(interruption), err=True)
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return 1
    except MemoryError as error:
        return complain(error, "there is not enough memory", REFUSALS[errno.ENOMEM], 1)
    except OSError as error:
        return complain(error, refusal(error), REFUSALS.get(error.errno or 0, AGAIN), 1)
    except Exception as error:  # noqa: BLE001 (reported in one sentence, and in full with --debug)
        said = f"unexpected error, {type(error).__name__}: {error}".removesuffix(": ")
        return complain(error, said, AGAIN, 1)
    return code if isinstance(code, int) else 0


def tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """Print a warning for the user, instead of Python's own format."""
    plain = False if os.environ.get("NO_COLOR") else None
    typer.secho("warning: ", fg="yellow", bold=True, nl=False, err=True, color=plain)
    typer.echo(shorten_words(str(message)).translate(CONTROL), err=True)


def shorten_words(text: str) -> str:
    """Return a text with words cut at LONGEST_WORD characters: a mistyped argument may be a whole file."""
    return re.sub(rf"(\S{{{LONGEST_WORD // 2}}})\S{{{LONGEST_WORD // 2},}}", r"\1…", text)


def refusal(error: OSError) -> str:
    """Return an error of the operating system in words, with its file."""
    where = f"{error.filename}: " if error.filename else ""
    return f"the system refused: {where}{error.strerror or error}"


def complain(error: Exception, what: str, hint: str, code: int) -> int:
    """Print an error for the user, after its traceback if that is switched on, and return the exit code."""
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        traceback.print_exception(error)
    plain = False if os.environ.get("NO_COLOR") else None
    typer.secho("error: ", fg="red", bold=True, nl=False, err=True, color=plain)
    typer.echo(shorten_words(what).translate(CONTROL), err=True)
    if hint:
        typer.echo(shorten_words(hint).translate(CONTROL), err=True)
    return code


def help_hint(error: typer.TyperException) -> str:
    """Return a sentence on where to find help for a mistyped command line; "" if unknown."""
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help explains it." if context else ""
