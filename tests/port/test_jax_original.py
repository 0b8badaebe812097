"""An original in JAX: its port to PyTorch is proven against it in float64, and a mistake in the port is named."""

import pytest
from folders import new_folder, own_work
from laboratory import proven, reference, tamper
from smaller import with_files

from rosettabench.catalogue.framework import all_frameworks, references
from rosettabench.catalogue.workload import read_folder

pytestmark = [pytest.mark.environment, pytest.mark.slow]

NORM = """
[normalisation]
momentum = 0.9
epsilon = 1e-5

[[tensors]]
name = "norm.scale"
shape = [32]
init = "ones"

[[tensors]]
name = "norm.shift"
shape = [32]
init = "zeros"

[[tensors]]
name = "norm.mean"
shape = [32]
init = "zeros"
trained = false

[[tensors]]
name = "norm.variance"
shape = [32]
init = "ones"
trained = false
"""
"""A batch normalisation, whose running means an original keeps as well."""

BIASED = """class Norm(nn.BatchNorm1d):
    def forward(self, x):
        if self.training:
            mean, variance = x.mean(0).detach(), x.var(0, unbiased=False).detach()
            y = nn.functional.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)
            self.running_mean += self.momentum * (mean - self.running_mean)
            self.running_var += self.momentum * (variance - self.running_var)
            return y
        return super().forward(x)
"""
"""PyTorch keeps the variance divided by n - 1, Flax that divided by n."""

CHANGES = {
    "workload.toml": [
        ('reference = "pytorch"', 'reference = "jax"'),
        ('weights = "weights.safetensors"', "#"),
        ("shape = [32, 16]", 'shape = [16, 32]\ninit = "glorot_uniform"'),
        ("shape = [4, 32]", 'shape = [32, 4]\ninit = "glorot_uniform"'),
        ('name = "hidden.bias"\nshape = [32]', 'name = "hidden.bias"\nshape = [32]\ninit = "normal(0.1)"'),
        ('name = "logits.bias"\nshape = [4]', 'name = "logits.bias"\nshape = [4]\ninit = "normal(0.1)"' + NORM),
    ],
    "jax.py": [
        (", TRANSPOSE),\n", "),\n"),
        ("import TRANSPOSE, Tie", "import Tie"),
        (
            "        self.logits = nnx",
            "        self.norm = nnx.BatchNorm(32, momentum=0.9, epsilon=1e-5, rngs=rngs)\n        self.logits = nnx",
        ),
        ("nnx.relu(self.hidden(inputs))", "nnx.relu(self.norm(self.hidden(inputs)))"),
        ("TENSORS = [", 'TENSORS = [\n    Tie("norm.scale", "norm.scale"),\n    Tie("norm.shift", "norm.bias"),'),
    ],
    "pytorch.py": [
        ('"hidden.weight"),\n', '"hidden.weight", TRANSPOSE),\n'),
        ('"logits.weight"),\n', '"logits.weight", TRANSPOSE),\n'),
        ("import Tie", "import TRANSPOSE, Tie"),
        ("        self.logits = nn", "        self.norm = Norm(32, momentum=0.1)\n        self.logits = nn"),
        ("self.hidden(inputs).relu()", "self.norm(self.hidden(inputs)).relu()"),
        ("TENSORS = [", 'TENSORS = [\n    Tie("norm.scale", "norm.weight"),\n    Tie("norm.shift", "norm.bias"),'),
        ("class Perceptron", BIASED + "\n\nclass Perceptron"),
    ],
}
STATE = '\nSTATE = [\n    Tie("norm.mean", "norm.{}mean"),\n    Tie("norm.variance", "norm.{}var"),\n]\n'
OPTIMIZERS = {
    "adam": ("", "", ""),
    "nesterov": (
        'name = "sgd"\nlearning_rate = 0.1\nmomentum = 0.9\nnesterov = true\nweight_decay = 1e-2',
        "torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-2)",
        "optax.chain(optax.add_decayed_weights(1e-2), optax.sgd(0.1, 0.9, nesterov=True))",
    ),
    "own": (
        'name = "own"\nlearning_rate = 1e-2',
        "torch.optim.Adadelta(model.parameters(), lr=1e-2, rho=0.9, eps=1e-6)",
        "optax.adadelta(1e-2, 0.9, 1e-6)",
    ),
}  # fmt: skip
ADAM = """name = "adam"  # or adamw, sgd, rmsprop, adagrad; own: what the implementations make
learning_rate = 1e-3
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-8"""
IN_PYTORCH = "Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)"
IN_JAX = "optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)"


def change(path, replacements):
    """Replace texts that must be there."""
    text = path.read_text()
    for old, new in replacements:
        assert old in text, (path.name, old)
        text = text.replace(old, new)
    path.write_text(text)


def jax_original(place, optimizer):
    """The workload of a folder whose original is in JAX, with another optimiser."""
    new_folder(place, None, "jax")
    stated, pytorch, jax = OPTIMIZERS[optimizer]
    for name, replacements in CHANGES.items():
        change(place / name, replacements)
    if stated:
        change(place / "workload.toml", [(ADAM, stated)])
        change(
            place / "pytorch.py",
            [(IN_PYTORCH, pytorch), ("from torch import nn\n", "import torch\nfrom torch import nn\n")],
        )
        change(place / "jax.py", [(IN_JAX, jax)])
    for name, running in (("jax.py", ""), ("pytorch.py", "running_")):
        with (place / name).open("a") as file:
            file.write(STATE.format(running, running))
    return read_folder(place)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_ports_of_an_original_in_jax_are_proven(optimizer, tmp_path):
    workload = jax_original(tmp_path / "net", optimizer)
    assert [one.name for one in references(workload)] == ["original-jax"]
    work = own_work(workload, tmp_path)
    exact = reference(work, tmp_path / "reference")
    frameworks = all_frameworks()
    for framework in ("jax", "pytorch"):
        entry = frameworks[framework]
        proof, _ = proven(entry, entry.mode, work, exact, tmp_path / framework)
        assert proof.passed, (framework, [check for check in proof.checks if not check.passed][:3])
    wrong = (".relu()", ".tanh()")
    source = tamper(workload.folder / "pytorch.py", [wrong], tmp_path / "wrong" / "pytorch.py")
    proof, _ = proven(
        frameworks["pytorch"], "eager", with_files(work, {"pytorch": source}), exact, tmp_path / "planted"
    )
    assert not proof.passed
    assert "it begins behind norm, whose outputs are equal: the inputs of logits" in proof.cause
