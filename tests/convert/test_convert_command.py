"""``rosetta convert``: proven by outputs before a file is written, and nothing half-written after bad input."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from laboratory import data_folder, environment, tamper
from tiers import slow

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.cli import main
from rosettabench.data.readers.weights_file import encode_weights, read_weights
from rosettabench.errors import DataError, ProofError, UsageError

NATIVE = Path(__file__).with_name("native.py")


@pytest.fixture
def convert(monkeypatch, tmp_path, capsys):
    """Run the command in a folder; return its exit code, what it printed and what it complained."""
    monkeypatch.chdir(tmp_path)
    if data_folder() is not None:
        monkeypatch.setenv("ROSETTA_DATA", str(data_folder()))

    def run(workload, *words):
        code = main(["convert", workload, *words, "--offline"])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err[err.find("error: ") :] if "error: " in err else err

    return run


def native(workload, what, path):
    """Let PyTorch itself save or load a state_dict."""
    lock = all_frameworks()["pytorch"].locks[0]
    implementation = find_workload(workload).implementation("pytorch")
    command = [environment(lock).python, NATIVE, implementation, what, path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


def there_and_back(convert, workload, framework, folder):
    """Carry a state_dict of PyTorch to another framework and back; return what the command printed first."""
    native(workload, "save", folder / "first.npz")
    code, out, err = convert(workload, "--from", "pytorch", "first.npz", "--to", framework, "other.safetensors")
    assert code == 0, err
    assert "written: other.safetensors" in out
    code, _, err = convert(workload, "--from", framework, "other.safetensors", "--to", "pytorch", "again.npz")
    assert code == 0, err
    before, after = (read_weights(folder / name) for name in ("first.npz", "again.npz"))
    assert before.keys() == after.keys()
    for name in before:
        if not name.endswith("num_batches_tracked"):
            assert before[name].tobytes() == after[name].tobytes(), name
    for name in ("first", "again"):
        native(workload, "load", folder / f"{name}.npz")
    np.testing.assert_array_equal(*(np.load(folder / f"{name}.out.npy") for name in ("first", "again")))
    return out


@pytest.mark.slow
@pytest.mark.environment
def test_there_and_back_is_the_same_and_the_outputs_agree(convert, tmp_path):
    out = there_and_back(convert, "fashion-cnn", "jax", tmp_path)
    assert "fashion-cnn: 6 tensors, 203,434 numbers, from pytorch to jax." in out
    lines = [line.split() for line in out.splitlines() if " is off by " in line]
    assert [words[0] for words in lines] == ["pytorch", "jax"]
    for words in lines:
        assert 0 < float(words[4].strip(";")) <= float(words[5]) <= 1e-2


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize(
    ("workload", "framework"), [("cifar-resnet56", "tensorflow"), ("imdb-lstm", "jax"), ("imdb-lstm", "mxnet-module")]
)
def test_state_and_what_is_fixed_come_back(convert, workload, framework, tmp_path):
    out = there_and_back(convert, workload, framework, tmp_path)
    counted = "Not carried: blocks.0.norm1.num_batches_tracked and 54 more counters." in out
    assert counted == (workload == "cifar-resnet56")


@pytest.mark.slow
@pytest.mark.environment
def test_the_same_framework_twice_is_the_identity(convert, tmp_path):
    native("fashion-cnn", "save", tmp_path / "first.npz")
    code, _, err = convert("fashion-cnn", "--from", "pytorch", "first.npz", "--to", "pytorch", "second.npz")
    assert code == 0, err
    before, after = (read_weights(tmp_path / name) for name in ("first.npz", "second.npz"))
    for name in before:
        assert before[name].tobytes() == after[name].tobytes(), name


WRONG = {
    "another activation": ("fashion-cnn", [("nnx.relu(self.conv2(x))", "nnx.sigmoid(self.conv2(x))")]),
    "a wrong tie": (
        "fashion-cnn",
        [
            ("import CHANNELS_LAST", "import permute, CHANNELS_LAST"),
            (
                'Tie("conv2.kernel", "conv2.kernel", CHANNELS_LAST)',
                'Tie("conv2.kernel", "conv2.kernel", permute(3, 2, 1, 0))',
            ),
        ],
    ),
}
"""Mistakes in an implementation, by workload: kernels whose rows and columns are exchanged have the same shape."""


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_not_proven_and_nothing_is_written(convert, tmp_path, monkeypatch, mistake):
    workload, changes = WRONG[mistake]
    native(workload, "save", tmp_path / "first.npz")
    (tmp_path / "jax.npz").write_bytes(b"an earlier file")
    find = Workload.implementation
    planted = tamper(find(find_workload(workload), "jax"), changes, tmp_path / "planted" / "jax.py")
    monkeypatch.setattr(
        Workload, "implementation", lambda self, name, *rest: planted if name == "jax" else find(self, name, *rest)
    )
    code, out, err = convert(workload, "--from", "pytorch", "first.npz", "--to", "jax", "jax.npz")
    assert (code, out) == (ProofError.exit_code, "")
    assert "evaluation logits of jax are off by" in err and "jax.npz is not written" in err
    assert (tmp_path / "jax.npz").read_bytes() == b"an earlier file"
    assert {path.name for path in tmp_path.iterdir()} == {"first.npz", "jax.npz", "planted"}


# -- bad input ---------------------------------------------------------------------------------------------------------

GOOD = {"hidden.weight": (128, 784), "hidden.bias": (128,), "output.weight": (10, 128), "output.bias": (10,)}


def ones(**changes):
    """The tensors of fashion-mlp in PyTorch, some changed; None leaves one out."""
    tensors = {name: np.ones(shape, np.float32) for name, shape in GOOD.items()}
    changed = tensors | {name.replace("__", "."): value for name, value in changes.items()}
    return {name: value for name, value in changed.items() if value is not None}


def save(folder, name, tensors):
    (folder / name).write_bytes(encode_weights(tensors, Path(name)))


@pytest.mark.parametrize(
    ("source", "target", "code", "said"),
    [
        (["pytorch", "good.npz"], ["jax", "new.pt"], UsageError, "new.pt is a pickle, which can run code"),
        (["pytorch", "model.pth"], ["jax", "new.npz"], UsageError, "model.pth is a pickle, which can run code"),
        (["pytorch", "model.h5"], ["jax", "new.npz"], UsageError, "model.h5 is no file of weights"),
        (["pytorch", "none.npz"], ["jax", "new.npz"], DataError, "none.npz cannot be read: No such file"),
        (["pytorch", "good.npz"], ["jax", "no/new.npz"], UsageError, "there is no folder no"),
        (["pytorch", "good.npz"], ["jax", "good.npz"], UsageError, "good.npz is read and written"),
        (["pytorch", "half.npz"], ["jax", "new.npz"], DataError, "half.npz is cut off or damaged"),
        (["pytorch", "half.safetensors"], ["jax", "new.npz"], DataError, "half.safetensors is cut off or damaged"),
        (["pytroch", "good.npz"], ["jax", "new.npz"], UsageError, "there is no framework 'pytroch'"),
        (["pytorch", "good.npz"], ["r-keras", "new.npz"], UsageError, "written in R"),
    ],
)
def test_bad_input_is_refused_before_anything_is_started(convert, tmp_path, monkeypatch, source, target, code, said):
    monkeypatch.setattr(subprocess, "Popen", None)  # whoever starts a process would fail with another sentence
    save(tmp_path, "good.npz", ones())
    for name in ("half.npz", "half.safetensors"):
        content = encode_weights(ones(), Path(name))
        (tmp_path / name).write_bytes(content[: len(content) // 2])
    (tmp_path / "model.pth").write_bytes(b"\x80\x02}q\x00.")
    before = sorted(tmp_path.iterdir())
    ended, out, err = convert("fashion-mlp", "--from", *source, "--to", *target)
    assert (ended, out) == (code.exit_code, ""), err
    assert said in err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.environment
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hidden__bias": None}, "bad.npz does not fit fashion-mlp in pytorch: it lacks 1 of 4 tensors: hidden.bias"),
        slow({"third__bias": np.ones(3)}, "it has 1 unknown tensor: third.bias"),
        slow({"output__bias": np.ones(11, np.float32)}, "1 of another shape: output.bias is 11, not 10"),
        ({"output__bias": np.full(10, np.nan, np.float32)}, "output.bias in bad.npz holds 10 numbers that are NaN"),
        slow({"output__bias": np.full(10, 0.1)}, "output.bias in bad.npz is float64, and has 10 numbers"),
    ],
)
def test_a_file_that_does_not_fit(convert, tmp_path, changes, said):
    save(tmp_path, "bad.npz", ones(**changes))
    code, out, err = convert("fashion-mlp", "--from", "pytorch", "bad.npz", "--to", "jax", "new.npz")
    assert (code, out) == (DataError.exit_code, ""), err
    assert said in err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.npz"]


@pytest.mark.slow
@pytest.mark.environment
def test_weights_whose_outputs_prove_nothing(convert, tmp_path):
    save(tmp_path, "dead.npz", {name: -array for name, array in ones().items()})
    code, out, err = convert("fashion-mlp", "--from", "pytorch", "dead.npz", "--to", "jax", "new.npz")
    assert (code, out) == (ProofError.exit_code, "")
    assert "with these weights, fashion-mlp has the same outputs for every sample" in err
    assert [path.name for path in tmp_path.iterdir()] == ["dead.npz"]


def test_both_ends_are_needed(convert):
    code, _, err = convert("fashion-mlp", "--from", "pytorch", "model.npz")
    assert code == 2 and "--to" in err
