"""shakespeare-gpt in tinygrad."""

from tinygrad import nn
from tinygrad.nn.optim import AdamW, OptimizerGroup
from tinygrad.nn.state import get_parameters

from rosetta_worker.layers.tinygrad import Scale
from rosetta_worker.tensors import Tie


class Model:
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        self.token = nn.Embedding(65, 128)
        self.position = nn.Embedding(64, 128)
        self.blocks = [Block(128, 4) for _ in range(4)]
        self.norm = Scale(128, eps=1e-5)

    def __call__(self, ids):
        x = self.token(ids) + self.position.weight
        for block in self.blocks:
            x = block(x)
        return self.norm(x).linear(self.token.weight.T)


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

    def __call__(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(self.up(self.norm2(x)).gelu(approximate="none"))

    def attend(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in (q, k, v))  # (n, heads, time, in a head)
        y = q.scaled_dot_product_attention(k, v, is_causal=True)
        return self.projection(y.transpose(1, 2).flatten(2))


def loss(logits, labels):
    return logits.sparse_categorical_crossentropy(labels)


def optimizer(model, hyper):
    rates = (hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    kernels = [one for one in get_parameters(model) if one.ndim > 1]
    scales = [one for one in get_parameters(model) if one.ndim == 1]
    return OptimizerGroup(AdamW(kernels, *rates, hyper.weight_decay), AdamW(scales, *rates, weight_decay=0.0))


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..4}.norm{1..2}.scale", "blocks.{0..3}.norm{1..2}.weight"),
    Tie("block{1..4}.qkv.kernel", "blocks.{0..3}.qkv.weight"),
    Tie("block{1..4}.projection.kernel", "blocks.{0..3}.projection.weight"),
    Tie("block{1..4}.up.kernel", "blocks.{0..3}.up.weight"),
    Tie("block{1..4}.down.kernel", "blocks.{0..3}.down.weight"),
    Tie("norm.scale", "norm.weight"),
]
