"""cifar-vit in JAX: Flax NNX and Optax."""

import jax
import optax
from flax import nnx
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie


class Model(nnx.Module):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self, rngs):
        self.patch = nnx.Conv(3, 192, kernel_size=(4, 4), strides=4, padding=0, rngs=rngs)
        self.position = nnx.Embed(64, 192, rngs=rngs)
        self.blocks = nnx.List([Block(192, 3, rngs) for _ in range(6)])
        self.norm = nnx.LayerNorm(192, epsilon=1e-6, rngs=rngs)
        self.output = nnx.Linear(192, 10, rngs=rngs)

    def __call__(self, images):
        x = self.patch(images).reshape(len(images), 64, 192)  # (n, tokens, width)
        x = x + self.position.embedding
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x).mean(1))


class Block(nnx.Module):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.heads = heads
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-6, rngs=rngs)
        self.query = nnx.Linear(width, width, rngs=rngs)
        self.key = nnx.Linear(width, width, rngs=rngs)
        self.value = nnx.Linear(width, width, rngs=rngs)
        self.projection = nnx.Linear(width, width, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-6, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(nnx.gelu(self.up(self.norm2(x)), approximate=False))

    def attend(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        q, k, v = (y.reshape(*y.shape[:2], self.heads, -1) for y in (q, k, v))  # (n, tokens, heads, in a head)
        y = jax.nn.dot_product_attention(q, k, v)
        return self.projection(y.reshape(x.shape))


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    adamw = optax.adamw(
        hyper.learning_rate,
        hyper.beta1,
        hyper.beta2,
        hyper.epsilon,
        weight_decay=hyper.weight_decay,
        mask=lambda weights: jax.tree.map_with_path(lambda path, _: "kernel" in jax.tree_util.keystr(path), weights),
    )
    return nnx.Optimizer(model, adamw, wrt=nnx.Param)


TENSORS = [
    Tie("patch.kernel", "patch.kernel", CHANNELS_LAST),
    Tie("patch.bias", "patch.bias"),
    Tie("position_embedding", "position.embedding"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.scale"),
    Tie("block{1..6}.norm{1..2}.shift", "blocks.{0..5}.norm{1..2}.bias"),
    Tie("block{1..6}.query.kernel", "blocks.{0..5}.query.kernel", TRANSPOSE),
    Tie("block{1..6}.query.bias", "blocks.{0..5}.query.bias"),
    Tie("block{1..6}.key.kernel", "blocks.{0..5}.key.kernel", TRANSPOSE),
    Tie("block{1..6}.key.bias", "blocks.{0..5}.key.bias"),
    Tie("block{1..6}.value.kernel", "blocks.{0..5}.value.kernel", TRANSPOSE),
    Tie("block{1..6}.value.bias", "blocks.{0..5}.value.bias"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.kernel", TRANSPOSE),
    Tie("block{1..6}.projection.bias", "blocks.{0..5}.projection.bias"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.kernel", TRANSPOSE),
    Tie("block{1..6}.up.bias", "blocks.{0..5}.up.bias"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.kernel", TRANSPOSE),
    Tie("block{1..6}.down.bias", "blocks.{0..5}.down.bias"),
    Tie("norm.scale", "norm.scale"),
    Tie("norm.shift", "norm.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
