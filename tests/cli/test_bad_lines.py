"""Every command line of bad_lines.txt is refused, with its exit code and its sentence, before anything is started."""

import shlex
from collections import Counter
from pathlib import Path

import pytest

from rosettabench.cli import LONGEST_WORD, main

LINES = [
    tuple(part.strip() for part in line.split(" | "))
    for line in (Path(__file__).parent / "bad_lines.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture
def words_of(tmp_path, monkeypatch):
    """Keep the command away from the user's own files; return how the words of a line are read."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("This is neither a data set nor a database.\n" * 50)
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROSETTA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ROSETTA_STORE", f"sqlite:///{tmp_path / 'results.sqlite'}")
    for name in ("ROSETTA_DATA", "ROSETTA_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    stands_for = {"$FOLDER": str(tmp_path / "folder"), "$FILE": str(tmp_path / "notes.txt"), "$LONG": "x" * 120_000}

    def read(text):
        words = shlex.split(text)
        for name, meant in stands_for.items():
            words = [word.replace(name, meant) for word in words]
        return words

    return read


def test_they_are_many_and_no_line_is_there_twice():
    assert len(LINES) >= 200
    assert max(Counter(words for _, words, _ in LINES).values()) == 1


@pytest.mark.parametrize(("code", "line", "said"), LINES, ids=[line for _, line, _ in LINES])
def test_a_bad_command_line_is_refused_with_its_sentence(words_of, capsys, tmp_path, code, line, said):
    ended = main(words_of(line))
    out, err = capsys.readouterr()
    assert (ended, out) == (int(code), ""), err
    assert said.replace("$FOLDER", str(tmp_path / "folder")).replace("$FILE", str(tmp_path / "notes.txt")) in err
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert len(err) < 4 * LONGEST_WORD
    assert "secret" not in err
    assert not list((tmp_path / "folder").iterdir()), "nothing was written"
