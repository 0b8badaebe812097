"""Folders of models that only infer, and the command line in a folder of its own."""

import re
import sys
from pathlib import Path

import pytest
from laboratory import data_folder

from rosettabench.catalogue.workload import read_folder
from rosettabench.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "port"))
from folders import new_folder


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Run ``rosetta`` in a folder; return its exit code, what it printed and what it complained."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROSETTA_STORE", f"sqlite:///{tmp_path}/results.sqlite")
    if data_folder() is not None:
        monkeypatch.setenv("ROSETTA_DATA", str(data_folder()))

    def run(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err[err.find("error: ") :] if "error: " in err else err

    return run


@pytest.fixture
def without_training():
    """A function that makes a folder infer, as docs/guide/onnx.md says, and returns its workload."""

    def strip(folder):
        toml, original = folder / "workload.toml", folder / "pytorch.py"
        stated, inference = toml.read_text(), "[inference]\nbatch_size = 32\n\n"
        toml.write_text(re.sub(r"\[optimizer\].*?(?=\[\[tensors)", inference, stated, flags=re.DOTALL))
        original.write_text(re.sub(r"def loss\(.*?(?=TENSORS)", "", original.read_text(), flags=re.DOTALL))
        return read_folder(folder)

    return strip


@pytest.fixture
def inferring(tmp_path, without_training):
    """The folder of a small GPT that only infers: its head is tied to its embedding."""
    new_folder(tmp_path / "my-gpt", "gpt")
    return without_training(tmp_path / "my-gpt")
