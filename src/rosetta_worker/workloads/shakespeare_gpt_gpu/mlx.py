"""shakespeare-gpt:gpu in MLX."""

import mlx.core as mx
from mlx import nn
from mlx.optimizers import AdamW, MultiOptimizer

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.dropout = nn.Dropout(0.2)
        self.blocks = [Block(384, 6, self.dropout) for _ in range(6)]
        self.norm = nn.LayerNorm(384, eps=1e-5, bias=False)

    def __call__(self, ids):
        x = self.dropout(self.token(ids) + self.position.weight)
        for block in self.blocks:
            x = block(x)
        return self.token.as_linear(self.norm(x))


class Block(nn.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.dropout = dropout

    def __call__(self, x):
        x = x + self.dropout(self.attend(self.norm1(x)))
        return x + self.dropout(self.down(nn.gelu(self.up(self.norm2(x)))))

    def attend(self, x):
        q, k, v = self.qkv(x).split(3, axis=-1)
        q, k, v = (mx.unflatten(y, -1, (self.heads, -1)).swapaxes(1, 2) for y in (q, k, v))  # (n, heads, time, in one)
        scores = q @ k.swapaxes(2, 3) * q.shape[-1] ** -0.5
        mask = nn.MultiHeadAttention.create_additive_causal_mask(x.shape[1])
        y = self.dropout(mx.softmax(scores + mask, axis=-1)) @ v  # mx.fast's attention has no dropout
        return self.projection(y.swapaxes(1, 2).flatten(2))


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    kernels, scales = (
        AdamW(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, decay, bias_correction=True)
        for decay in (hyper.weight_decay, 0.0)
    )
    return MultiOptimizer([kernels, scales], [lambda name, one: one.ndim > 1])


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
