"""A GPT with caches of keys and values, in PaddlePaddle."""

import paddle
from paddle import nn
from paddle.nn import functional as F

from rosetta_worker.tensors import TRANSPOSE, Tie

PROMPT = 64


class Decoder(nn.Layer):
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # places in a cache

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.blocks = nn.LayerList(Block(384, 6) for _ in range(6))
        self.norm = nn.LayerNorm(384, epsilon=1e-5, bias_attr=False)

    def empty(self, n):
        """Caches without anything in them: keys and values of each block, (n, time, heads, in a head)."""
        return [[paddle.zeros([n, self.length, 6, 64]) for _ in ("keys", "values")] for _ in self.blocks]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        x = self.token(ids) + self.position.weight[begin : begin + ids.shape[1]]
        for block, cache in zip(self.blocks, caches):
            x = block(x, begin, cache)
        return paddle.matmul(self.norm(x[:, -1:]), self.token.weight, transpose_y=True)


class Block(nn.Layer):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, epsilon=1e-5, bias_attr=False)
        self.qkv = nn.Linear(width, 3 * width, bias_attr=False)
        self.projection = nn.Linear(width, width, bias_attr=False)
        self.norm2 = nn.LayerNorm(width, epsilon=1e-5, bias_attr=False)
        self.up = nn.Linear(width, 4 * width, bias_attr=False)
        self.down = nn.Linear(4 * width, width, bias_attr=False)

    def forward(self, x, begin, cache):
        x = x + self.attend(self.norm1(x), begin, cache)
        return x + self.down(F.gelu(self.up(self.norm2(x))))

    def attend(self, x, begin, cache):
        q, k, v = self.qkv(x).chunk(3, axis=-1)
        q, k, v = (y.unflatten(-1, (self.heads, -1)) for y in (q, k, v))  # (n, time, heads, in a head)
        keys, values = cache
        end = begin + x.shape[1]
        keys[:, begin:end], values[:, begin:end] = k, v
        y = F.scaled_dot_product_attention(q, keys[:, :end], values[:, :end], is_causal=begin == 0)
        return self.projection(y.flatten(2))


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.weight"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.weight", TRANSPOSE),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight", TRANSPOSE),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight", TRANSPOSE),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight", TRANSPOSE),
    Tie("norm.scale", "norm.weight"),
]
