"""``rosetta export``: proven by outputs before a file is written, and nothing is written after bad input."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from folders import new_folder
from laboratory import environment

from rosettabench.data.readers.weights_file import encode_weights, read_weights

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "onnx.md"
BRANCHING = "        x = self.token(ids) + self.position(torch.arange(ids.shape[1]))\n"

pytestmark = [pytest.mark.slow, pytest.mark.environment]


def run(path, samples):
    """What ONNX Runtime makes of a file, in a process of its own."""
    script = Path(__file__).with_name("run_onnx.py")
    words = [environment("onnxruntime@1.31.1").python, script, path, str(samples)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def test_a_folder_that_trains_becomes_a_file_for_any_batch(command, tmp_path):
    workload = new_folder(tmp_path / "my-gpt", "gpt")
    code, out, err = command("export", "./my-gpt")
    assert code == 0, err
    assert "written: my-gpt.onnx" in out
    lines = [line.split() for line in out.splitlines() if " is off by " in line]
    assert [words[0] for words in lines] == ["pytorch", "onnxruntime"]
    one, seven = (run(tmp_path / "my-gpt.onnx", samples) for samples in (1, 7))
    assert (one["shape"], seven["shape"]) == ([1, 16, 65], [7, 16, 65])
    assert {tensor.name for tensor in workload.tensors} <= {*one["names"]}
    assert "head.weight" not in one["names"], "it is tied to token.weight"
    assert not one["places"], "a path of this machine is in it"

    code, out, err = command("export", "./my-gpt")
    assert (code, out) == (2, "")
    assert "my-gpt.onnx is there already" in err

    held = read_weights(tmp_path / "my-gpt" / "weights.safetensors")
    given = {tensor.name: np.zeros(tensor.shape, "float32") for tensor in workload.tensors} | held
    given |= {name: np.ones_like(array) for name, array in given.items() if re.search(r"norm\d?\.weight", name)}
    given["token.weight"] = 2 * given["token.weight"]
    (tmp_path / "trained.npz").write_bytes(encode_weights(given, tmp_path / "trained.npz"))
    code, _, err = command("export", "./my-gpt", "--weights", "trained.npz", "trained.onnx")
    assert code == 0, err
    assert run(tmp_path / "trained.onnx", 1)["sum"] > 1.5 * one["sum"]


def test_a_model_that_cannot_be_exported_is_refused_in_a_sentence(command, tmp_path):
    new_folder(tmp_path / "my-gpt", "gpt")
    original = tmp_path / "my-gpt" / "pytorch.py"
    text = original.read_text()
    assert BRANCHING in text
    original.write_text(text.replace(BRANCHING, f"{BRANCHING}        x = x + 1 if x.sum() > 0 else x\n"))
    before = sorted(tmp_path.iterdir())
    code, out, err = command("export", "./my-gpt")
    assert (code, out) == (2, ""), err
    assert "pytorch.py cannot be exported to ONNX: torch.onnx.export says: " in err
    assert sorted(tmp_path.iterdir()) == before, "nothing is written"


def test_the_commands_of_the_guide_say_what_it_says(command, tmp_path, without_training):
    text = GUIDE.read_text(encoding="utf-8")
    shown = [body for _, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]
    export, prove = (next(one for one in shown if one.startswith(f"rosetta {word}")) for word in ("export", "prove"))
    new_folder(tmp_path / "my-gpt", "gpt")
    code, out, err = command(*shlex.split(export)[1:])
    assert code == 0, err
    said = next(one for one in shown if one.startswith("my-gpt: "))
    for line in said.splitlines():
        assert re.sub(r"[\d.]+e-\d+", "…", line) in re.sub(r"[\d.]+e-\d+", "…", out)
    without_training(tmp_path / "my-gpt")
    code, out, err = command(*shlex.split(prove)[1:])
    assert code == 0, err
    assert out.count("equal work, proven") == 2
