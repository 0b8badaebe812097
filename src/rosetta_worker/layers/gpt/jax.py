"""A GPT with caches of keys and values, in JAX: Flax NNX."""

import jax
from flax import nnx
from jax import numpy as jnp

from rosetta_worker.tensors import TRANSPOSE, Tie

PROMPT = 64


class Decoder(nnx.Module):
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # places in a cache

    def __init__(self, rngs):
        self.token = nnx.Embed(65, 384, rngs=rngs)
        self.position = nnx.Embed(256, 384, rngs=rngs)
        self.blocks = nnx.List([Block(384, 6, rngs) for _ in range(6)])
        self.norm = nnx.LayerNorm(384, epsilon=1e-5, use_bias=False, rngs=rngs)

    def empty(self, n):
        """Caches without anything in them: keys and values of each block, (n, time, heads, in a head)."""
        return [[jnp.zeros((n, self.length, 6, 64)) for _ in ("keys", "values")] for _ in self.blocks]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        places = begin + jnp.arange(ids.shape[1])
        x, new = self.token(ids) + self.position(places), []
        for block, cache in zip(self.blocks, caches):
            x, cache = block(x, places, cache)
            new.append(cache)
        return self.token.attend(self.norm(x[:, -1:])), new


class Block(nnx.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.heads = heads
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.qkv = nnx.Linear(width, 3 * width, use_bias=False, rngs=rngs)
        self.projection = nnx.Linear(width, width, use_bias=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, use_bias=False, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, use_bias=False, rngs=rngs)

    def __call__(self, x, places, cache):
        y, cache = self.attend(self.norm1(x), places, cache)
        x = x + y
        return x + self.down(nnx.gelu(self.up(self.norm2(x)), approximate=False)), cache

    def attend(self, x, places, cache):
        q, k, v = jnp.split(self.qkv(x), 3, axis=-1)
        q, k, v = (y.reshape(*y.shape[:2], self.heads, -1) for y in (q, k, v))  # (n, time, heads, in a head)
        keys, values = (jax.lax.dynamic_update_slice_in_dim(*one, places[0], 1) for one in zip(cache, (k, v)))
        seen = jnp.arange(keys.shape[1]) <= places[:, None]
        y = jax.nn.dot_product_attention(q, keys, values, mask=seen[None, None])
        return self.projection(y.reshape(x.shape)), [keys, values]


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
