"""What goes wrong is said in a sentence, with what to type next, and the exit code of its kind."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import fresh
from tiers import slow

from rosettabench import errors
from rosettabench.cli import CONTROL, ENDING, INTERRUPTED, SIGNALLED
from rosettabench.store.store import Store

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "exit-codes.md"


def kinds():
    """Return all classes of errors that have an exit code."""
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RosettaError)]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["rnu"], "run"),
        (["list", "worklods"], "workloads"),
        (["show", "imdb-gur"], "imdb-gru"),
        (["show", "imdb-gru", "-f", "pytroch"], "pytorch"),
        (["data", "imbd"], "imdb"),
        (["env", "mkae"], "make"),
        (["show", "--palin", "imdb-gru"], "--plain"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_nearest(rosetta, words, meant):
    process = rosetta(*words)
    assert process.returncode == 2
    assert process.stderr.startswith("error: ")
    assert meant in process.stderr
    assert "Traceback" not in process.stderr
    assert process.stdout == ""


def test_a_missing_argument_points_to_the_help(rosetta):
    process = rosetta("show")
    assert process.returncode == 2
    assert "rosetta show --help" in process.stderr


def test_a_damaged_store_is_a_sentence_and_its_exit_code(rosetta, tmp_path):
    (tmp_path / "results.sqlite").write_bytes(b"this is no database, however long it is" * 200)
    process = rosetta("list", "runs")
    assert process.returncode == errors.StoreError.exit_code
    assert "results.sqlite" in process.stderr
    assert "Traceback" not in process.stderr
    assert (tmp_path / "results.sqlite").read_bytes().startswith(b"this is no database")


def test_data_that_is_not_there_is_a_sentence_and_its_exit_code(rosetta, tmp_path):
    process = rosetta("data", "imdb", "--data-dir", tmp_path / "[nowhere]")
    assert process.returncode == errors.DataError.exit_code
    assert "[nowhere]" in process.stderr, "square brackets are not markup"


def test_a_traceback_is_shown_where_it_is_asked_for(rosetta):
    for arguments, variables in [(["--debug", "show", "nonsense"], {}), (["show", "nonsense", "--debug"], {})]:
        process = rosetta(*arguments, **variables)
        assert "Traceback" in process.stderr
        assert process.stderr.rstrip().splitlines()[-2].startswith("error: there is no workload 'nonsense'")
    assert "Traceback" in rosetta("show", "nonsense", ROSETTA_DEBUG="1").stderr
    assert "Traceback" not in rosetta("show", "nonsense", ROSETTA_DEBUG="0").stderr


def python(variables, source, **more):
    """Run a program that uses the command line's `main`."""
    command = [sys.executable, "-c", source]
    return subprocess.run(command, env=variables | more, capture_output=True, text=True)


BROKEN = """
import sys
from rosettabench.cli import main
import rosettabench.cli.list
def workloads(): raise RuntimeError("the moon [/red] is \\x1b[31mfull")
rosettabench.cli.list.workloads = workloads
sys.exit(main(["list", "workloads"]))
"""


def test_what_nobody_expected_is_one_sentence_without_terminal_codes(variables):
    process = python(variables, BROKEN)
    assert process.returncode == 1
    assert process.stderr == (
        "error: unexpected error, RuntimeError: the moon [/red] is \\x1b[31mfull\n"
        "Run it again with --debug for the traceback.\n"
    )
    assert "in workloads" in python(variables, BROKEN, ROSETTA_DEBUG="1").stderr


LIMITED = """
import os, resource, sys
from pathlib import Path
from rosettabench.cli import main
from rosettabench.files import replace_file
import rosettabench.cli.list
def workloads():
    kind, value = os.environ["LIMITED"].split()
    resource.setrlimit(getattr(resource, kind), (int(value), int(value)))
    replace_file(Path(os.environ["HOME"]) / "file", bytes(bytearray(10**9 if kind == "RLIMIT_AS" else 9)))
rosettabench.cli.list.workloads = workloads
sys.exit(main(["list", "workloads"]))
"""


@pytest.mark.parametrize(
    ("limit", "what", "to_do"),
    [
        ("RLIMIT_FSIZE 0", "file: File too large", "ulimit -f"),
        ("RLIMIT_NOFILE 0", "file: Too many open files", "ulimit -n"),
        ("RLIMIT_AS 1000000000", "there is not enough memory", "ulimit -v"),
    ],
)
def test_a_limit_is_named(variables, limit, what, to_do):
    process = python(variables, LIMITED, LIMITED=limit)
    assert process.returncode == 1
    assert what in process.stderr and to_do in process.stderr
    assert "unexpected" not in process.stderr


def test_control_characters_leave_newlines_alone():
    assert "one\ntwo\tthree".translate(CONTROL) == "one\ntwo\tthree"
    assert "\x1b]0;title\x07\x9b".translate(CONTROL) == "\\x1b]0;title\\x07\\x9b"


@pytest.mark.parametrize("interrupt", ["raise KeyboardInterrupt", "exec('raise KeyboardInterrupt')"])
def test_interrupted(variables, tmp_path, interrupt):
    """Also while Python runs a text, as where a dataclass is made: a module would end by the signal then."""
    source = BROKEN.replace('raise RuntimeError("the moon [/red] is \\x1b[31mfull")', interrupt)
    assert interrupt in source
    (tmp_path / "broken.py").write_text(source)
    command = [sys.executable, "-m", "broken"]
    process = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (INTERRUPTED, "interrupted\n")
    assert INTERRUPTED == 128 + signal.SIGINT


SIGNALLED_WITHIN = """
import os, signal, sys
from rosettabench.cli import main
import rosettabench.cli.list
signal.signal(int(os.environ["NUMBER"]), signal.SIG_DFL)  # the tests may be run under nohup, which ignores SIGHUP
def workloads():
    try:
        os.kill(os.getpid(), int(os.environ["NUMBER"]))
    finally:
        print("cleared up")
rosettabench.cli.list.workloads = workloads
sys.exit(main(["list", "workloads"]))
"""


def test_a_reader_that_goes_away_is_no_error(variables):
    command = fresh("show", "imdb-gru", "--plain")
    process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


def test_a_full_disk_is_told(variables):
    command = fresh("show", "imdb-gru", "--plain")
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(command, env=variables, stdout=full, stderr=subprocess.PIPE, text=True)
    assert process.returncode == 1
    assert process.stderr.splitlines()[0] == "error: the system refused: No space left on device"
    assert process.stderr.splitlines()[1].startswith("Free some space")
    assert len(process.stderr.splitlines()) == 2


def test_every_exit_code_is_documented():
    rows = dict(re.findall(r"^\| (\d+) \| `?([\w ]+)", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE))
    for kind in kinds():
        if kind is not errors.RosettaError:
            assert rows[str(kind.exit_code)] == kind.__name__
    assert {"0", "1", str(INTERRUPTED), *(str(SIGNALLED + number) for number in ENDING)} < set(rows)
    assert len({kind.exit_code for kind in kinds()}) == len(kinds())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--seconds", "inf"), "--seconds"),
        (("run", "--timeout", "inf"), "--timeout"),
        (("run", "--timeout", "nan"), "--timeout"),
        (("run", "--round-seconds", "inf"), "--round-seconds"),
        (("run", "--margin", "nan"), "--margin"),
        (("verify", "--seconds", "inf"), "--seconds"),
        (("explain", "--seconds", "nan", "fashion-mlp", "jax", "pytorch"), "--seconds"),
        (("peak", "--seconds", "inf"), "--seconds"),
        (("calibrate", "--round-seconds", "inf"), "--round-seconds"),
        (("run", "-f", ""), "-f is empty"),
        (("run", "--suite", ""), "--suite is empty"),
        (("run", "--budget", ""), "--budget is empty"),
        (("run", "--report", ""), "--report names no file"),
    ],
)
def test_numbers_and_names_that_are_none_are_refused_before_anything_is_started(rosetta, words, said):
    process = rosetta(*words)
    assert process.returncode == errors.UsageError.exit_code, process.stderr
    assert said in process.stderr
    assert "Traceback" not in process.stderr


def test_a_terminal_that_is_not_utf_8_gets_other_characters_and_no_traceback(rosetta):
    process = rosetta("list", "workloads", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert process.returncode == 0, process.stderr
    assert "fashion-mlp" in process.stdout


def test_a_password_is_not_repeated(rosetta):
    process = rosetta("list", "runs", ROSETTA_STORE="postgresql+nodriver://me:s3cret@localhost/results")
    assert process.returncode != 0
    assert "me:***@localhost" in process.stderr
    assert "s3cret" not in process.stdout + process.stderr


@pytest.mark.parametrize("name", [*map(slow, ["results.db", "who? me.sqlite"]), "with 'quotes' and \"more\".db"])
def test_a_store_may_be_named_by_its_path(rosetta, tmp_path, name):
    Store(str(tmp_path / name))
    assert (tmp_path / name).is_file()
    process = rosetta("resume", "nosuchrun", ROSETTA_STORE=str(tmp_path / name))
    assert process.returncode == errors.UsageError.exit_code, "the store was found, and has no such run"
    assert "there is no run" in process.stderr
    assert rosetta("list", "runs", ROSETTA_STORE=str(tmp_path / name)).returncode == 0


@pytest.mark.parametrize("words", [("report",), ("resume",), ("history", "fashion-mlp"), ("compare", "1", "2")])
def test_who_only_reads_makes_no_store(rosetta, tmp_path, words):
    process = rosetta(*words, ROSETTA_STORE=str(tmp_path / "none.sqlite"))
    assert process.returncode == errors.StoreError.exit_code, process.stderr
    assert "there is no results store at" in process.stderr
    assert not (tmp_path / "none.sqlite").exists()


def test_an_interpreter_that_is_not_there_is_told_before_anything_is_measured(rosetta, tmp_path):
    for place, said in (("/nonexistent/python", "there is no"), (tmp_path, "is a folder"), ("", "is a folder")):
        process = rosetta("run", "fashion-mlp", "--python", place)
        assert process.returncode == errors.EnvironmentFault.exit_code, process.stderr
        assert said in process.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_clears_up_as_ctrl_c_does(variables, tmp_path, number):
    process = python(variables, SIGNALLED_WITHIN, TMPDIR=str(tmp_path), NUMBER=str(int(number)))
    assert (process.returncode, process.stderr) == (128 + number, "interrupted\n")
    assert process.stdout == "cleared up\n"
