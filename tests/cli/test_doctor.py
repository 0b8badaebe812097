"""``rosetta doctor``: what is missing is named, with the command that mends it."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from rosettabench.verify import checkup


def line(output, subject):
    return next(row for row in output.splitlines() if row.strip().startswith(subject))


def test_a_whole_report(rosetta):
    process = rosetta("doctor", "--no-noise")
    assert process.returncode in (0, 3), process.stderr
    for subject in ("uv", "Python 3.11", "disk", "memory", "fashion-mnist", "imdb", "NVIDIA driver", "Chromium"):
        assert line(process.stdout, subject)
    assert "rosetta env make pytorch@" in line(process.stdout, "pytorch@")
    assert "Noise" not in process.stdout


def test_noise_is_measured(rosetta):
    output = rosetta("doctor").stdout
    assert "times its median (90% of 30 blocks)" in output
    assert "rounds" in output


def test_a_compiler_that_is_not_there(rosetta, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "apt-get").write_text("#!/bin/sh\n")
    (folder / "apt-get").chmod(stat.S_IRWXU)
    process = rosetta("doctor", "--no-noise", PATH=str(folder))
    assert line(process.stdout, "g++").split()[1] == "missing"
    assert "sudo apt-get install g++" in line(process.stdout, "g++")
    assert process.returncode == 3


def test_an_r_that_is_not_there(rosetta, tmp_path):
    (tmp_path / "apt-get").write_text("#!/bin/sh\n")
    (tmp_path / "apt-get").chmod(stat.S_IRWXU)
    row = line(rosetta("doctor", "--no-noise", PATH=str(tmp_path)).stdout, "Rscript")
    assert row.split()[1] == "optional", "no suite needs it"
    assert "r-keras@" in row
    assert "sudo apt-get install r-base-core r-cran-reticulate" in row


def test_an_interpreter_that_is_not_there(rosetta):
    if shutil.which("python3.6") or list((Path.home() / ".pyenv" / "versions").glob("3.6.*")):
        variables = {"PATH": "", "PYENV_ROOT": "/nowhere"}
    else:
        variables = {}
    row = line(rosetta("doctor", "--no-noise", **variables).stdout, "Python 3.6")
    assert row.split()[2] == "optional", "the main job does not need it"
    assert "chainer@" in row
    assert "pyenv install 3.6" in row


def test_where_the_data_is(rosetta, real_data):
    output = rosetta("doctor", "--no-noise", "--data-dir", real_data).stdout
    assert line(output, "imdb").split()[1] == "ok"
    assert str(real_data / "imdb") in line(output, "imdb")
    assert "rosetta data imdb" in line(rosetta("doctor", "--no-noise").stdout, "imdb")


def test_a_data_folder_that_is_not_there(rosetta, tmp_path):
    process = rosetta("doctor", "--no-noise", "--data-dir", tmp_path / "none")
    assert line(process.stdout, "imdb").split()[1] == "missing"
    assert process.returncode == 3


def test_a_full_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("ROSETTA_CACHE", str(tmp_path / "cache"))
    usage = type(shutil.disk_usage(tmp_path))(10**12, 10**12, 10**8)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    check = checkup.check_disk()
    assert check.state == "missing"
    assert "0.1 GB free" in check.found
    assert "ROSETTA_CACHE" in check.remedy


def test_a_cache_that_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.setenv("ROSETTA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "access", lambda place, wish: False)  # as it is for everybody but root in others' folders
    check = checkup.check_disk()
    assert (check.subject, check.state) == ("cache", "missing")
    assert str(tmp_path) in check.found
    assert check.remedy.startswith("export ROSETTA_CACHE=")


@pytest.mark.parametrize(
    ("script", "state", "words"),
    [
        ("echo 'NVIDIA H100, 570.1'", "ok", "NVIDIA H100, 570.1"),
        ("echo 'driver mismatch' >&2; exit 18", "missing", "driver mismatch"),
    ],
)
def test_what_the_driver_says(monkeypatch, tmp_path, script, state, words):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    check = checkup.check_nvidia()
    assert check.state == state
    assert words in check.found


def test_no_browser(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    check = checkup.check_chromium()
    assert (check.state, check.remedy) == ("optional", f"{sys.executable} -m playwright install chromium")
    (tmp_path / "chromium-1234").mkdir()
    assert checkup.check_chromium().state == "ok"
