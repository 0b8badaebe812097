"""shakespeare-gpt:gpu in JAX: Flax NNX and Optax."""

import jax
import optax
from flax import nnx
from jax import numpy as jnp
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nnx.Module):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self, rngs):
        self.token = nnx.Embed(65, 384, rngs=rngs)
        self.position = nnx.Embed(256, 384, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.blocks = nnx.List([Block(384, 6, self.dropout, rngs) for _ in range(6)])
        self.norm = nnx.LayerNorm(384, epsilon=1e-5, use_bias=False, rngs=rngs)

    def __call__(self, ids):
        x = self.dropout(self.token(ids) + self.position.embedding)
        for block in self.blocks:
            x = block(x)
        return self.token.attend(self.norm(x))


class Block(nnx.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, dropout, rngs):
        self.heads = heads
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.qkv = nnx.Linear(width, 3 * width, use_bias=False, rngs=rngs)
        self.projection = nnx.Linear(width, width, use_bias=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, use_bias=False, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, use_bias=False, rngs=rngs)
        self.dropout = dropout

    def __call__(self, x):
        x = x + self.dropout(self.attend(self.norm1(x)))
        return x + self.dropout(self.down(nnx.gelu(self.up(self.norm2(x)), approximate=False)))

    def attend(self, x):
        q, k, v = jnp.split(self.qkv(x), 3, axis=-1)
        q, k, v = (y.reshape(*y.shape[:2], self.heads, -1) for y in (q, k, v))  # (n, time, heads, in a head)
        scores = jnp.einsum("nqhd,nkhd->nhqk", q, k) / q.shape[-1] ** 0.5
        seen = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        # Not nnx.dot_product_attention: it drops the same shares in all samples and heads, unless told otherwise.
        shares = self.dropout(nnx.softmax(jnp.where(seen, scores, -jnp.inf)))
        y = jnp.einsum("nhqk,nkhd->nqhd", shares, v)
        return self.projection(y.reshape(x.shape))


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    adamw = optax.chain(
        optax.clip_by_global_norm(hyper.clip_norm),
        optax.adamw(
            hyper.learning_rate,
            hyper.beta1,
            hyper.beta2,
            hyper.epsilon,
            weight_decay=hyper.weight_decay,
            mask=lambda weights: jax.tree.map(lambda one: one.ndim > 1, weights),
        ),
    )
    return nnx.Optimizer(model, adamw, wrt=nnx.Param)


TENSORS = [
    Tie("token_embedding", "token.embedding"),
    Tie("position_embedding", "position.embedding"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.scale"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.kernel", TRANSPOSE),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.kernel", TRANSPOSE),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.kernel", TRANSPOSE),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.kernel", TRANSPOSE),
    Tie("norm.scale", "norm.scale"),
]
