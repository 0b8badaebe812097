import shlex
import sys
from pathlib import Path

import pytest

from rosettabench.environments.interpreter import find_interpreter, reported_version
from rosettabench.errors import EnvironmentFault

NO_SUCH = "3.99"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with an empty PATH and an empty pyenv, both in `tmp_path`; no variable chooses an interpreter."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.delenv("ROSETTA_PYTHON_3_99", raising=False)
    return tmp_path


def program(path, *, says="", exit_code=0):
    """Write an executable that prints something and exits: what an interpreter does when asked for its version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {shlex.quote(says)}\nexit {exit_code}\n")
    path.chmod(0o755)
    return path


def test_the_running_interpreter_is_taken_first(machine):
    assert find_interpreter("{}.{}".format(*sys.version_info)) == Path(sys.executable)


def test_a_shim_that_exits_127_is_passed_over(machine, monkeypatch):
    shim = program(machine / "shims" / "python3.99", says="pyenv: python3.99: command not found", exit_code=127)
    real = program(machine / "bin" / "python3.99", says=NO_SUCH)
    monkeypatch.setenv("PATH", f"{shim.parent}:{machine / 'bin'}")
    assert find_interpreter(NO_SUCH) == real


def test_a_shim_that_works_gives_way_to_the_interpreter_behind_it(machine, monkeypatch):
    shim = program(machine / "pyenv" / "shims" / "python3.99", says=NO_SUCH)
    real = program(machine / "pyenv" / "versions" / "3.99.1" / "bin" / "python", says=NO_SUCH)
    monkeypatch.setenv("PATH", str(shim.parent))
    assert find_interpreter(NO_SUCH) == real


def test_one_that_reports_another_version_is_passed_over(machine):
    program(machine / "bin" / "python3.99", says="3.98")
    real = program(machine / "pyenv" / "versions" / "3.99.1" / "bin" / "python", says=NO_SUCH)
    assert find_interpreter(NO_SUCH) == real


def test_pyenvs_newest_that_starts_is_taken(machine):
    versions = machine / "pyenv" / "versions"
    program(versions / "3.99.2" / "bin" / "python", says=NO_SUCH)
    tenth = program(versions / "3.99.10" / "bin" / "python", says=NO_SUCH)
    program(versions / "3.99.11" / "bin" / "python", exit_code=1)
    program(versions / "3.99-dev" / "bin" / "python", says=NO_SUCH)
    assert find_interpreter(NO_SUCH) == tenth


def test_the_variable_decides(machine, monkeypatch):
    program(machine / "bin" / "python3.99", says=NO_SUCH)
    mine = program(machine / "mine", says=NO_SUCH)
    monkeypatch.setenv("ROSETTA_PYTHON_3_99", str(mine))
    assert find_interpreter(NO_SUCH) == mine


@pytest.mark.parametrize(
    ("says", "exit_code", "told"), [("3.98", 0, "which is Python 3.98"), ("", 1, "does not start")]
)
def test_a_variable_that_names_no_such_python_is_an_error_and_not_passed_over(
    machine, monkeypatch, says, exit_code, told
):
    program(machine / "bin" / "python3.99", says=NO_SUCH)
    monkeypatch.setenv("ROSETTA_PYTHON_3_99", str(program(machine / "mine", says=says, exit_code=exit_code)))
    with pytest.raises(EnvironmentFault, match="ROSETTA_PYTHON_3_99") as fault:
        find_interpreter(NO_SUCH)
    assert told in fault.value.what


def test_none_at_all_names_the_command_that_brings_one(machine):
    with pytest.raises(EnvironmentFault, match=r"no Python 3\.99") as fault:
        find_interpreter(NO_SUCH)
    assert "python install 3.99" in fault.value.hint
    (machine / "pyenv").mkdir()
    with pytest.raises(EnvironmentFault) as fault:
        find_interpreter(NO_SUCH)
    assert "pyenv install 3.99" in fault.value.hint
    assert "ROSETTA_PYTHON_3_99" in fault.value.hint


def test_what_cannot_be_started_has_no_version(tmp_path):
    text = tmp_path / "python3.99"
    text.write_text("not a program")
    text.chmod(0o755)
    assert reported_version(text) is None
    assert reported_version(tmp_path / "absent") is None
    assert reported_version(tmp_path) is None
