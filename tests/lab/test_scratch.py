"""Scratch folders: gone in the end, taken away after a kill, and nobody else's ever touched."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from rosettabench.lab import scratch
from rosettabench.lab.scratch import MARKER, PREFIX, scratch_folder, scratch_place

HOLDER = """
from rosettabench.lab.scratch import scratch_folder
with scratch_folder() as folder:
    print(folder, flush=True)
    input()
"""


def start_holder(place: Path) -> tuple[subprocess.Popen[str], Path]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    return holder, Path(holder.stdout.readline().strip())


def test_what_a_killed_run_left_goes_with_the_next_and_a_living_one_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", None)
    killed, abandoned = start_holder(tmp_path)
    living, kept = start_holder(tmp_path)
    (abandoned / "tensor.npy").write_bytes(b"0" * 10)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert abandoned.is_dir()
    with scratch_folder() as own:
        assert own.is_dir() and own.parent == tmp_path
        assert not abandoned.exists()
        assert kept.is_dir()
    assert not own.exists()
    living.communicate("\n")
    assert not kept.exists()


def test_a_folder_without_the_marker_is_not_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, "scratch_place", lambda: tmp_path)
    somebodys = tmp_path / f"{PREFIX}stone"
    somebodys.mkdir()
    with scratch_folder() as own:
        assert (own / MARKER).is_file()
    assert somebodys.is_dir()


def test_the_users_word_goes_before_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", None)
    assert scratch_place() == tmp_path


def test_memory_only_where_there_is_room(tmp_path, monkeypatch):
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(scratch, "MEMORY", tmp_path)
    for room, available, expected in ((0, 0, True), (2**62, 0, False), (0, 2**62, False)):
        monkeypatch.setattr(scratch, "ROOM", room)
        monkeypatch.setattr(scratch, "AVAILABLE", available)
        assert (scratch_place() == tmp_path) is expected
    monkeypatch.setattr(scratch, "MEMORY", tmp_path / "none")
    assert scratch_place() != tmp_path
