"""A GPT with caches of keys and values, in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.tensors import Tie

PROMPT = 64


class Decoder(gluon.HybridBlock):
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # characters of a text, with the prompt

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.blocks = nn.HybridSequential()
        self.blocks.add(*[Block(384, 6) for _ in range(6)])
        self.norm = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=384)
        self.output = nn.Dense(65, use_bias=False, flatten=False, in_units=384, params=self.token.params)

    def empty(self):
        """Caches without anything in them. A cache is keys and values of a block, each (n · heads, time, in a head)."""
        return [None for _ in self.blocks]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        x = nd.broadcast_add(self.token(ids), self.position(nd.arange(begin, begin + ids.shape[1])))
        for number, block in enumerate(self.blocks):
            x, caches[number] = block(x, caches[number])
        return self.output(self.norm(x[:, -1:]))


class Block(gluon.HybridBlock):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=width)
        self.qkv = nn.Dense(3 * width, use_bias=False, flatten=False, in_units=width)
        self.projection = nn.Dense(width, use_bias=False, flatten=False, in_units=width)
        self.norm2 = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=width)
        self.up = nn.Dense(4 * width, use_bias=False, flatten=False, in_units=width)
        self.down = nn.Dense(width, use_bias=False, flatten=False, in_units=4 * width)

    def forward(self, x, cache):
        y, cache = self.attend(self.norm1(x), cache)
        x = x + y
        return x + self.down(nd.LeakyReLU(self.up(self.norm2(x)), act_type="gelu")), cache

    def attend(self, x, cache):
        split = self.qkv(x).reshape((0, 0, 3, self.heads, -1)).transpose((2, 0, 3, 1, 4))
        q, k, v = (y.reshape((-3, 0, 0)) for y in nd.split(split, 3, axis=0, squeeze_axis=True))  # (n · heads, time, …)
        if cache is not None:
            k, v = (nd.concat(*both, dim=1) for both in zip(cache, (k, v)))
        scores = nd.batch_dot(q / 64**0.5, k, transpose_b=True)
        if cache is None:  # what comes later sees all that lies in the cache
            times = nd.arange(x.shape[1])
            scores = nd.broadcast_sub(scores, 1e9 * (times.reshape((1, 1, -1)) > times.reshape((1, -1, 1))))
        y = nd.batch_dot(nd.softmax(scores), v).reshape((-4, -1, self.heads, 0, 0)).transpose((0, 2, 1, 3))
        return self.projection(y.reshape((0, 0, -3))), (k, v)


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.gamma"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.weight"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight"),
    Tie("norm.scale", "norm.gamma"),
]
