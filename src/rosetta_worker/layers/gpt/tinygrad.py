"""A GPT with caches of keys and values, in tinygrad."""

from tinygrad import Tensor, nn

from rosetta_worker.layers.tinygrad import Scale
from rosetta_worker.tensors import Tie


class Decoder:
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # places in a cache

    def __init__(self):
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        self.norm = Scale(384, eps=1e-5)

    def empty(self, n):
        """Caches without anything in them: keys and values of each block, (n, heads, time, in a head)."""
        return [
            [Tensor.zeros(n, 6, self.length, 64).contiguous().realize() for _ in ("keys", "values")]
            for _ in self.blocks
        ]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        x = self.token(ids) + self.position.weight[begin : begin + ids.shape[1]]
        for block, cache in zip(self.blocks, caches):
            x = block(x, begin, cache)
        return self.norm(x[:, -1:]).linear(self.token.weight.T)


class Block:
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        self.heads = heads
        self.norm1 = Scale(width, eps=1e-5)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = Scale(width, eps=1e-5)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def __call__(self, x, begin, cache):
        x = x + self.attend(self.norm1(x), begin, cache)
        return x + self.down(self.up(self.norm2(x)).gelu(approximate="none"))

    def attend(self, x, begin, cache):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in (q, k, v))  # (n, heads, time, in a head)
        end = begin + x.shape[1]
        for kept, new in zip(cache, (k, v)):
            kept[:, :, begin:end].assign(new).realize()
        keys, values = (kept[:, :, :end] for kept in cache)
        y = q.scaled_dot_product_attention(keys, values, is_causal=begin == 0)
        return self.projection(y.transpose(1, 2).flatten(2))


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
