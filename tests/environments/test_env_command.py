import sys

import pytest
from wheels import write_lock, write_wheel

from rosettabench.cli import main
from rosettabench.environments import lock as lock_module

HERE = "{}.{}".format(*sys.version_info)


@pytest.fixture(autouse=True)
def locks(tmp_path, monkeypatch):
    """Three locks: one that can be made, one with a package that does not exist, one for a Python that nobody has."""
    monkeypatch.setenv("ROSETTA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(lock_module, "OURS", tmp_path / "locks")
    monkeypatch.setattr(lock_module, "catalogue_roots", lambda: ())
    write_wheel(tmp_path / "wheels", "pebble", "1.0")
    write_lock(tmp_path / "locks", "pebble@1.0", "pebble==1.0", python=HERE)
    write_lock(tmp_path / "locks", "ghost@1", "no-such-package==1.0", python=HERE)
    write_lock(tmp_path / "locks", "future@1", "pebble==1.0", python="3.99")
    return tmp_path / "locks"


def test_what_cannot_be_made_is_said_and_the_others_go_on(capsys):
    assert main(["env", "make", "--all"]) == 3
    printed = capsys.readouterr()
    assert "no-such-package" in printed.err
    assert "no Python 3.99" in printed.err
    assert "pebble@1.0: 1 packages" in printed.out
    assert "ready after" in printed.out
    assert main(["env", "check"]) == 0
    assert "pebble@1.0: as its lock says" in capsys.readouterr().out


def test_list_says_what_is_made_and_what_is_missing(capsys):
    assert main(["env", "list"]) == 0
    before = capsys.readouterr().out
    assert main(["env", "make", "pebble@1.0"]) == 0
    capsys.readouterr()
    assert main(["env", "list"]) == 0
    after = capsys.readouterr().out
    assert before.count("not made") == 3 and "GB" not in before
    assert "GB" in next(line for line in after.splitlines() if "pebble@1.0" in line)
    assert "not found" in next(line for line in after.splitlines() if "Python 3.99" in line)


def test_an_unknown_name_gets_the_nearest_offered_and_nothing_is_done(capsys):
    assert main(["env", "make", "peble@1.0", "pebble@1.0"]) == 2
    assert "pebble@1.0" in capsys.readouterr().err
    assert main(["env", "check", "pebble@1.0"]) == 3
    assert "rosetta env make pebble@1.0" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--all", "pebble@1.0"]])
def test_make_wants_names_or_all(arguments, capsys):
    assert main(["env", "make", *arguments]) == 2
    assert "--all" in capsys.readouterr().err


def test_remove_and_remove_again(capsys, locks):
    assert main(["env", "make", "pebble@1.0"]) == 0
    assert main(["env", "remove", "pebble@1.0"]) == 0
    assert main(["env", "remove", "pebble@1.0"]) == 0
    assert "was not made" in capsys.readouterr().out
    assert main(["env", "check", "pebble@1.0"]) == 3


def test_one_whose_lock_is_gone_can_still_be_removed(capsys, locks):
    assert main(["env", "make", "pebble@1.0"]) == 0
    (locks / f"pebble@1.0-py{HERE}.txt").unlink()
    assert main(["env", "remove", "pebble@1.0"]) == 0
    assert "removed" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["list", "make", "check", "remove"])
def test_help_gives_an_example(command, capsys):
    assert main(["env", command, "--help"]) == 0
    assert f"Example: rosetta env {command}" in capsys.readouterr().out
