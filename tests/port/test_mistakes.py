"""What ports get wrong: each mistake is found, in the layer where it is, and most are named."""

from dataclasses import dataclass

import pytest
from folders import new_folder, own_work
from laboratory import proven, reference, tamper
from smaller import with_files
from tiers import slow_except

from rosettabench.catalogue.framework import all_frameworks

pytestmark = pytest.mark.environment


@dataclass(frozen=True)
class Mistake:
    """A mistake in a port: texts that are replaced, what must be said of its cause, and of its place."""

    name: str
    model: str
    changes: tuple[tuple[str, str], ...]
    cause: str
    place: str = ""


def once(name, model, old, new, cause, place=""):
    """A mistake of one replacement."""
    return Mistake(name, model, ((old, new),), cause, place)


MISTAKES = [
    once("tanh for erf", "gpt", ", approximate=False", "", "approximation by tanh", "blocks.0.up"),
    once(
        "GELU by SiLU",
        "gpt",
        "jax.nn.gelu(self.up(self.norm2(x)), approximate=False)",
        "jax.nn.silu(self.up(self.norm2(x)))",
        "SiLU (swish) where GELU",
        "blocks.0.up",
    ),
    once(
        "GELU by ReLU",
        "gpt",
        "jax.nn.gelu(self.up(self.norm2(x)), approximate=False)",
        "jax.nn.relu(self.up(self.norm2(x)))",
        "ReLU where GELU",
        "blocks.0.up",
    ),
    once(
        "no GELU",
        "gpt",
        "jax.nn.gelu(self.up(self.norm2(x)), approximate=False)",
        "self.up(self.norm2(x))",
        "no activation where GELU",
        "blocks.0.up",
    ),
    once("epsilon of every normalisation", "gpt", ", epsilon=1e-5", "", "adds 1e-06 to the variance", "blocks.0.norm1"),
    once(
        "epsilon of the last normalisation",
        "gpt",
        "self.norm = nnx.LayerNorm(32, epsilon=1e-5",
        "self.norm = nnx.LayerNorm(32, epsilon=1e-3",
        "adds 0.001 to the variance",
        "in norm",
    ),
    once("no mask", "gpt", ", is_causal=True", "", "is not masked", "blocks.0.qkv"),
    once("no scaling", "gpt", "is_causal=True", "is_causal=True, scale=1.0", "are not scaled", "blocks.0.qkv"),
    once(
        "scaled by the whole width",
        "gpt",
        "is_causal=True",
        "is_causal=True, scale=c**-0.5",
        "width of all heads",
        "blocks.0.qkv",
    ),
    once(
        "scaled by the width of a head",
        "gpt",
        "is_causal=True",
        "is_causal=True, scale=self.heads / c",
        "not by its root",
        "blocks.0.qkv",
    ),
    once(
        "order of heads",
        "gpt",
        "y.reshape(n, t, self.heads, c // self.heads) for",
        "y.reshape(n, t, c // self.heads, self.heads).swapaxes(2, 3) for",
        "heads are split the other way",
        "blocks.0.qkv",
    ),
    once(
        "second normalisation left out",
        "gpt",
        "self.up(self.norm2(x))",
        "self.up(x)",
        "normalisation is left out",
        "blocks.0",
    ),
    once(
        "head without the last normalisation",
        "gpt",
        "self.token.attend(self.norm(x))",
        "self.token.attend(x)",
        "normalisation is left out",
        "norm",
    ),
    once(
        "transposed kernel",
        "gpt",
        'blocks.0.out.kernel", TRANSPOSE',
        'blocks.0.out.kernel"',
        "square kernel is transposed, blocks.0.out.weight",
        "blocks.0.out",
    ),
    once(
        "query and key exchanged",
        "gpt",
        "q, k, v = jnp.split",
        "k, q, v = jnp.split",
        "queries and keys of the attention are exchanged",
        "blocks.0.qkv",
    ),
    once(
        "positions from one on",
        "gpt",
        "jnp.arange(ids.shape[1])",
        "jnp.arange(1, ids.shape[1] + 1) % 16",
        "",
        "position",
    ),
    once(
        "a gradient that is stopped",
        "gpt",
        "self.down(jax.nn.gelu(self.up(self.norm2(x)), approximate=False))",
        "self.down(jax.lax.stop_gradient(jax.nn.gelu(self.up(self.norm2(x)), approximate=False)))",
        "",
        "in the backward pass it begins with the gradients of blocks.1.up",
    ),
    once("groups of the normalisation", "unet", "num_groups=4", "num_groups=8", "has 8 groups", "down.norm1"),
    once(
        "epsilon of batch normalisation",
        "unet",
        "momentum=0.9, epsilon=1e-5",
        "momentum=0.9, epsilon=1e-3",
        "adds 0.001 to the variance",
        "down.norm2",
    ),
    once(
        "momentum of batch normalisation", "unet", "momentum=0.9", "momentum=0.99", "0.1 times as far as it should", ""
    ),
    once("SiLU by ReLU", "unet", "nnx.silu(self.norm1", "nnx.relu(self.norm1", "ReLU where SiLU", "down.norm1"),
    once("mean pool", "unet", "nnx.max_pool", "nnx.avg_pool", "a pool takes the mean", "down.norm2"),
    once(
        "bilinear upsampling",
        "unet",
        "second.repeat(2, axis=1).repeat(2, axis=2)",
        'jax.image.resize(second, first.shape[:3] + (16,), "bilinear")',
        "bilinear",
        "behind middle.norm2, whose outputs are equal: the inputs of up.conv1 are off",
    ),
    once(
        "no padding",
        "unet",
        "(3, 3), padding=1, rngs=rngs)\n        self.norm1",
        "(3, 3), padding=[(2, 0), (2, 0)], rngs=rngs)\n        self.norm1",
        "",
        "down.conv1",
    ),
    once("order of concatenation", "unet", "[wide, first]", "[first, wide]", "in the reverse order", "up.conv1"),
    once(
        "flipped kernels",
        "unet",
        'down.conv1.kernel", CHANNELS_LAST',
        'down.conv1.kernel", permute(3, 2, 1, 0)',
        "height and width exchanged",
        "down.conv1",
    ),
    once(
        "loss of half",
        "towers",
        "((outputs - labels) ** 2).mean()",
        "((outputs - labels) ** 2).mean() / 2",
        "half of the mean square",
    ),
    once("summed loss", "towers", "((outputs - labels) ** 2).mean()", "((outputs - labels) ** 2).sum()", "sum"),
    once(
        "towers exchanged",
        "towers",
        "self.user(inputs[:, 0]) * self.item(inputs[:, 1])",
        "self.user(inputs[:, 1]) * self.item(inputs[:, 0])",
        "",
        "user.embedding",
    ),
]
"""Without a cause, the place alone is asked for."""


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The work of each model, and its original as reference, made once."""
    made = {}

    def get(model):
        if model not in made:
            folder = tmp_path_factory.mktemp(model)
            work = own_work(new_folder(folder / model, model, "jax"), folder)
            made[model] = work, reference(work, folder / "reference", "original-pytorch")
        return made[model]

    return get


def prove(mistake, originals, folder):
    """The finished proof of a port with a mistake."""
    work, exact = originals(mistake.model)
    entry = all_frameworks()["jax"]
    source = tamper(work.workload.folder / "jax.py", mistake.changes, folder / "jax.py")
    text = source.read_text().replace("import optax\n", "import jax\nimport optax\n")
    source.write_text(text.replace("import CHANNELS_LAST,", "import CHANNELS_LAST, permute,"))
    proof, _ = proven(entry, "eager", with_files(work, {"jax": source}), exact, folder)
    return proof


@pytest.mark.parametrize("model", slow_except(["gpt", "unet", "towers"]))
def test_a_port_without_a_mistake_is_equal(model, originals, tmp_path):
    proof = prove(Mistake("none", model, (), ""), originals, tmp_path)
    assert proof.passed, [check for check in proof.checks if not check.passed][:3]


@pytest.mark.parametrize("mistake", slow_except(MISTAKES), ids=lambda mistake: mistake.name)
def test_a_mistake_is_found_and_named(mistake, originals, tmp_path):
    proof = prove(mistake, originals, tmp_path)
    print("MISTAKE", mistake.name, proof.cause, sep=" | ")
    assert not proof.passed
    assert mistake.cause in (proof.cause or "")
    assert mistake.place in (proof.cause or "")
