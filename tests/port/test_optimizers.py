"""Every optimiser that a folder can state: the libraries' own are proven, and a wrong value is caught and named."""

from dataclasses import dataclass

import pytest
from folders import new_folder, own_work
from laboratory import proven, reference, tamper
from smaller import with_files

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import read_folder

pytestmark = [pytest.mark.environment, pytest.mark.slow]

ADAM = """name = "adam"  # or adamw, sgd, rmsprop, adagrad; own: what the implementations make
learning_rate = 1e-3
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-8
"""
IN_PYTORCH = "Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)"
IN_JAX = "optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)"


@dataclass(frozen=True)
class Stated:
    """An optimiser as workload.toml states it, as two libraries make it, and a mistake in PyTorch with its cause."""

    values: str
    pytorch: str
    jax: str
    wrong: tuple[str, str]
    cause: str


OPTIMIZERS = {
    "adamw": Stated(
        'name = "adamw"\nlearning_rate = 1e-3\nbeta1 = 0.9\nbeta2 = 0.99\nepsilon = 1e-8\nweight_decay = 0.1',
        "torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.1)",
        "optax.adamw(1e-3, 0.9, 0.99, 1e-8, weight_decay=0.1)",
        ("AdamW(", "Adam("),
        "adds the weight decay to the gradient (L2)",
    ),
    "adamw of matrices": Stated(
        'name = "adamw"\nlearning_rate = 1e-3\nbeta1 = 0.9\nbeta2 = 0.99\nepsilon = 1e-8\nweight_decay = 0.1\n'
        'decays = "matrices"\nclip_norm = 0.1',
        "torch.optim.AdamW([{'params': [one for one in model.parameters() if one.dim() > 1]}, "
        "{'params': [one for one in model.parameters() if one.dim() == 1], 'weight_decay': 0.0}], "
        "lr=1e-3, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.1)",
        "optax.chain(optax.clip_by_global_norm(0.1), optax.adamw(1e-3, 0.9, 0.99, 1e-8, weight_decay=0.1, "
        "mask=lambda tree: __import__('jax').tree.map(lambda one: one.ndim > 1, tree)))",
        ("'weight_decay': 0.0", "'weight_decay': 0.1"),
        "decays tensors of one dimension, too",
    ),
    "momentum": Stated(
        'name = "sgd"\nlearning_rate = 0.1\nmomentum = 0.9\nweight_decay = 1e-2',
        "torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-2)",
        "optax.chain(optax.add_decayed_weights(1e-2), optax.sgd(0.1, 0.9))",
        (", weight_decay=1e-2", ""),
        "does not decay the weights",
    ),
    "nesterov": Stated(
        'name = "sgd"\nlearning_rate = 0.1\nmomentum = 0.9\nnesterov = true',
        "torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)",
        "optax.sgd(0.1, 0.9, nesterov=True)",
        (", nesterov=True", ""),
        "the momentum is not Nesterov's",
    ),
    "rmsprop": Stated(
        'name = "rmsprop"\nlearning_rate = 1e-3\nrho = 0.9\nepsilon = 1e-6',
        "torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-6)",
        "optax.rmsprop(1e-3, 0.9, 1e-6, eps_in_sqrt=False)",
        ("alpha=0.9", "alpha=0.99"),
        "rho is 0.99",
    ),
    "adagrad": Stated(
        'name = "adagrad"\nlearning_rate = 1e-2\nepsilon = 1e-7\ninitial = 0.1',
        "torch.optim.Adagrad(model.parameters(), lr=1e-2, eps=1e-7, initial_accumulator_value=0.1)",
        "optax.adagrad(1e-2, 0.1, 0.0)",
        ("value=0.1", "value=0.0"),
        "sum of squares begins as 0",
    ),
    "own": Stated(
        'name = "own"\nlearning_rate = 1e-2',
        "torch.optim.Adadelta(model.parameters(), lr=1e-2, rho=0.9, eps=1e-6)",
        "optax.adadelta(1e-2, 0.9, 1e-6)",
        ("rho=0.9", "rho=0.8"),
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimiser_is_proven_and_a_wrong_one_named(name, tmp_path):
    stated = OPTIMIZERS[name]
    place = tmp_path / "net"
    new_folder(place, None, "jax")
    for file, old, new in (
        ("workload.toml", ADAM, stated.values + "\n"),
        ("pytorch.py", IN_PYTORCH, stated.pytorch),
        ("pytorch.py", "from torch import nn\n", "import torch\nfrom torch import nn\n"),
        ("jax.py", IN_JAX, stated.jax),
    ):
        text = (place / file).read_text()
        assert old in text
        (place / file).write_text(text.replace(old, new, 1))
    work = own_work(read_folder(place), tmp_path)
    exact = reference(work, tmp_path / "reference", "original-pytorch")
    frameworks = all_frameworks()
    for framework in ("pytorch", "jax"):
        entry = frameworks[framework]
        proof, _ = proven(entry, entry.mode, work, exact, tmp_path / framework)
        assert proof.passed, [check for check in proof.checks if not check.passed][:3]
    source = tamper(place / "pytorch.py", [stated.wrong], tmp_path / "wrong" / "pytorch.py")
    proof, _ = proven(
        frameworks["pytorch"], "eager", with_files(work, {"pytorch": source}), exact, tmp_path / "planted"
    )
    assert not proof.passed
    assert stated.cause in (proof.cause or "")
