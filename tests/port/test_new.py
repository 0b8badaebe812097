"""``rosetta new``: what it writes runs at once, and what cannot be described is told before anything is written."""

import re

import numpy as np
import pytest
from folders import CLASSES, MODELS, new_folder, pytorch
from safetensors.numpy import load_file, save_file
from tiers import slow

from rosettabench.catalogue.workload import read_folder
from rosettabench.errors import RosettaError, UsageError
from rosettabench.plan.own import check_own, own_contenders
from rosettabench.port.description import describe_model, read_inputs
from rosettabench.port.folder import check_new
from rosettabench.proof.weights import draw_weights

pytestmark = pytest.mark.environment


def test_from_no_model_it_is_proven_at_once(rosetta):
    code, out, err = rosetta("new", "net", "-f", "pytorch,jax")
    assert code == 0, err
    assert "rosetta prove ./net" in out
    code, out, err = rosetta("prove", "./net")
    assert code == 0, err
    assert re.findall(r"net · (\S+) .* proven", out) == ["pytorch", "jax"]


@pytest.mark.parametrize("model", ["towers", slow("gpt"), slow("unet")])
def test_a_model_is_described(model, tmp_path):
    workload = new_folder(tmp_path / model, model, "jax")
    check_own(workload)
    weights = draw_weights(workload, 0)
    assert {name: array.shape for name, array in weights.items()} == {one.name: one.shape for one in workload.tensors}
    assert own_contenders([str(tmp_path / model)]) == ("pytorch", "jax")
    expected = {
        "gpt": (28, {"shape": [16], "values": "integers", "below": 65}),
        "unet": (26, {"shape": [1, 32, 32], "values": "normal"}),
        "towers": (10, {name: {"values": "integers", "below": 100} for name in ("user", "item")}),
    }[model]
    drawn = workload.data.form["random"]["inputs"]
    assert (sum(one.trained for one in workload.tensors), drawn) == expected
    assert any(not one.trained for one in workload.tensors) == (model == "unet")


REFUSED = {
    "needs the arguments width": "class Net(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n",
    "line 6: ValueError: no": "class Net(nn.Module):\n    def __init__(self):\n        raise ValueError('no')\n",
    "has no Net: it has Other": "class Other(nn.Module):\n    pass\n",
    "cannot be imported: line 4: ZeroDivisionError": "1 / 0\n",
    "cannot be guessed": "class Net(nn.Module):\n    def forward(self, x):\n        return x\n",
    "not finite": "class Net(nn.Sequential):\n    def __init__(self):\n        super().__init__(nn.Linear(4, 4))\n"
    "    def forward(self, x):\n        return super().forward(x) / 0\n",
}


@pytest.mark.parametrize("said", [key if number == 0 else slow(key) for number, key in enumerate(REFUSED)])
def test_what_cannot_be_described_is_told(said, rosetta, tmp_path):
    (tmp_path / "mine.py").write_text(f"from torch import nn\n\n\n{REFUSED[said]}")
    code, _, err = rosetta("new", "net", "--from", "mine.py:Net")
    assert code == 2
    assert said in err
    assert not (tmp_path / "net").exists()
    assert not list(tmp_path.glob(".net*"))


def test_bad_names(tmp_path):
    (tmp_path / "there").mkdir()
    for place, frameworks, said in (
        (tmp_path / "there", (), "is there already"),
        (tmp_path / "no" / "where", (), "is no folder"),
        (tmp_path / "fashion-mlp", (), "there is a workload fashion-mlp already"),
        (tmp_path / "net", ("caffe2",), "is not written in caffe2"),
    ):
        with pytest.raises(UsageError) as error:
            check_new(place, frameworks)
        assert said in error.value.what


@pytest.mark.parametrize(
    "words",
    [
        "",
        "float",
        "int[3]",
        "float[3]<5",
        "int[a]<5",
        "float[3",
        "2=float[3]",
        "float[3] float[4]",
        "a=float[3] a=float[3]",
    ],
)
def test_inputs_that_are_none(words):
    with pytest.raises(UsageError):
        read_inputs(words.split() or [words])


def test_inputs():
    assert read_inputs(["int[64]<65"])[""].below == 65
    assert read_inputs(["float[3, 32,32]"])[""].shape == (3, 32, 32)
    named = read_inputs(["user=int[]<50", "time = float[2,3]"])
    assert list(named) == ["user", "time"]
    assert [one.columns for one in named.values()] == [1, 6]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["user=int[]<50"], "does not name history and context"),
        slow(
            ["user=int[]<50", "float[5]", "when=float[1]"], "names when: the model takes user and history and context"
        ),
        slow(["user=int[]<50", "history=int[5]<80", "context=float[2,4]"], "do not fit the model"),
        slow([], "--inputs user=… --inputs history=… --inputs context=…"),
    ],
)
def test_inputs_of_a_model_that_are_not_its_own(words, said, tmp_path):
    with pytest.raises(UsageError) as error:
        describe_model(MODELS / "ranker.py", "Ranker", pytorch(), read_inputs(words))
    assert said in error.value.what


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["jax", "keras", "tensorflow", "mxnet-gluon"])
def test_a_model_of_several_inputs_is_proven(framework, rosetta, tmp_path):
    """A whole number, a row of them, and a table of real numbers: packed as columns, and taken out by name."""
    new_folder(tmp_path / "ranker", "ranker", framework)
    code, out, err = rosetta("prove", "./ranker", "-f", framework)
    assert code == 0, err
    assert "proven" in out


@pytest.mark.slow
def test_an_input_of_another_layout_is_found(rosetta, tmp_path):
    new_folder(tmp_path / "ranker", "ranker", "jax")
    path = tmp_path / "ranker" / "jax.py"
    text = path.read_text()
    assert "inputs[:, 6:12]" in text
    path.write_text(text.replace(".reshape(-1, 2, 3)", ".reshape(-1, 3, 2).swapaxes(1, 2)"))
    code, out, _ = rosetta("prove", "./ranker", "-f", "jax")
    assert code == 5
    assert "logits at step 0" in out


def test_an_open_tie_and_a_missing_one_are_told(tmp_path):
    workload = new_folder(tmp_path / "net", None, "jax")
    path = tmp_path / "net" / "jax.py"
    text = path.read_text()
    for old, new, said in (
        ('"hidden.kernel", TRANSPOSE', '"?"', "the name of hidden.weight is open in its tie"),
        ('    Tie("hidden.bias", "hidden.bias"),\n', "", "TENSORS does not tie hidden.bias"),
        ("def loss(", "def lost(", "loss is not defined"),
    ):
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(UsageError) as error:
            check_own(workload)
        assert said in error.value.what
        assert "jax.py" in error.value.what


def test_who_is_asked_for(tmp_path):
    folder = tmp_path / "net"
    new_folder(folder, None, "keras")
    assert own_contenders([str(folder)]) == ("pytorch", "keras[tensorflow]")
    (folder / "workload.toml").write_text(
        f'{(folder / "workload.toml").read_text()}\n[environments]\nkeras = "/a/python"\n'
    )
    assert own_contenders([str(folder)]) == ("pytorch", "keras[tensorflow]@/a/python")
    (folder / "pytorch.py").unlink()
    with pytest.raises(UsageError, match="lacks its original"):
        check_own(read_folder(folder))


def test_every_model_has_its_class():
    for model, name in CLASSES.items():
        assert f"class {name}(" in (MODELS / f"{model}.py").read_text()


@pytest.mark.slow
def test_ties_that_do_not_fit_are_counted_and_the_nearest_names_offered(rosetta, tmp_path):
    new_folder(tmp_path / "net", None, "jax", "keras", "mxnet-gluon", "tensorflow")
    for framework, (old, new, near) in {
        "jax": ("hidden.kernel", "hiden.kernel", "hidden.kernel"),
        "keras": ("logits.bias", "logits.biases", "logits.bias"),
        "mxnet-gluon": ('hidden.weight")', 'hidden.kernel")', ""),
        "tensorflow": ("logits.kernel", "logit.kernel", "logits.kernel"),
    }.items():
        path = tmp_path / "net" / f"{framework.replace('-', '_')}.py"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(f', "{old}', f', "{new}'))
        code, out, _ = rosetta("prove", "./net", "-f", framework)
        assert code == 5
        assert f"{path.name}: 1 tie does not fit the model" in out
        assert near in out
    path = tmp_path / "net" / "jax.py"
    path.write_text(path.read_text().replace("hiden.kernel", "hidden.kernel").replace(", TRANSPOSE", ""))
    code, out, _ = rosetta("prove", "./net", "-f", "jax")
    assert "2 ties do not fit the model: hidden.kernel has the shape (16, 32), and (32, 16) is tied to it" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "return self.logits(nnx.relu(self.hidden(inputs)))",
            "return self.logits(nnx.relu(self.hidden(inputs)))[:, :3]",
            "have the shape (32, 3), and (32, 4) is meant",
        ),
        ("nnx.relu(self.hidden(inputs))", "nnx.relu(self.hidden(inputs)) / 0", "not finite"),
        ("nnx.relu(", "nnx.rulu(", "has no attribute 'rulu'"),
    ],
)
def test_ports_that_cannot_be_compared(old, new, said, rosetta, tmp_path):
    new_folder(tmp_path / "net", None, "jax")
    path = tmp_path / "net" / "jax.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    code, out, _ = rosetta("prove", "./net", "-f", "jax")
    assert code == 5
    assert said in out


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("weights.pt", "is a pickle, which can run code"),
        slow("gone.safetensors", "cannot be read"),
        slow("short.safetensors", "has no tensor logits.bias"),
        slow("wide.safetensors", "has the shape (9,)"),
    ],
)
def test_files_of_first_weights_that_do_not_fit(weights, said, tmp_path):
    workload = new_folder(tmp_path / "net", None)
    whole = load_file(tmp_path / "net" / "weights.safetensors")
    save_file(
        {name: array for name, array in whole.items() if name != "logits.bias"}, tmp_path / "net" / "short.safetensors"
    )
    save_file(whole | {"logits.bias": np.zeros(9, np.float32)}, tmp_path / "net" / "wide.safetensors")
    with pytest.raises(RosettaError) as error:
        draw_weights(workload.model_copy(update={"weights": weights}), 0)
    assert said in error.value.what
    assert weights in error.value.what
