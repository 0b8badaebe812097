"""A GPT with caches of keys and values, in MLX."""

import mlx.core as mx
from mlx import nn

from rosetta_worker.tensors import Tie

PROMPT = 64


class Decoder(nn.Module):
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # places in a cache

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        self.norm = nn.LayerNorm(384, eps=1e-5, bias=False)

    def empty(self, n):
        """Caches without anything in them: keys and values of each block, (n, heads, time, in a head)."""
        return [[mx.zeros([n, 6, self.length, 64]) for _ in ("keys", "values")] for _ in self.blocks]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        x = self.token(ids) + self.position.weight[begin : begin + ids.shape[1]]
        for block, cache in zip(self.blocks, caches):
            x = block(x, begin, cache)
        return self.token.as_linear(self.norm(x[:, -1:]))


class Block(nn.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def __call__(self, x, begin, cache):
        x = x + self.attend(self.norm1(x), begin, cache)
        return x + self.down(nn.gelu(self.up(self.norm2(x))))

    def attend(self, x, begin, cache):
        q, k, v = self.qkv(x).split(3, axis=-1)
        q, k, v = (mx.unflatten(y, -1, (self.heads, -1)).swapaxes(1, 2) for y in (q, k, v))  # (n, heads, time, in one)
        keys, values = cache
        end = begin + x.shape[1]
        keys[:, :, begin:end], values[:, :, begin:end] = k, v
        y = mx.fast.scaled_dot_product_attention(
            q, keys[:, :, :end], values[:, :, :end], scale=q.shape[-1] ** -0.5, mask="causal" if begin == 0 else None
        )
        return self.projection(y.swapaxes(1, 2).flatten(2))


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.weight"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.weight"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight"),
    Tie("norm.scale", "norm.weight"),
]
