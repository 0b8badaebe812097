"""cifar-vit in MLX."""

import mlx.core as mx
from mlx import nn
from mlx.optimizers import AdamW, MultiOptimizer

from rosetta_worker.tensors import Tie, permute


class Model(nn.Module):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 192, kernel_size=4, stride=4)
        self.position = nn.Embedding(64, 192)
        self.blocks = [Block(192, 3) for _ in range(6)]
        self.norm = nn.LayerNorm(192, eps=1e-6)
        self.output = nn.Linear(192, 10)

    def __call__(self, images):
        x = self.patch(images).flatten(1, 2)  # (n, tokens, width)
        x = x + self.position.weight
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x).mean(1))


class Block(nn.Module):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.projection = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def __call__(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(nn.gelu(self.up(self.norm2(x))))

    def attend(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        q, k, v = (mx.unflatten(y, -1, (self.heads, -1)).swapaxes(1, 2) for y in (q, k, v))  # heads before tokens
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5)
        return self.projection(y.swapaxes(1, 2).flatten(2))


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    kernels, others = (
        AdamW(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, decay, bias_correction=True)
        for decay in (hyper.weight_decay, 0.0)
    )
    return MultiOptimizer([kernels, others], [lambda name, one: one.ndim > 1 and name != "position.weight"])


TENSORS = [
    Tie("patch.kernel", "patch.weight", permute(0, 2, 3, 1)),  # (out, height, width, in)
    Tie("patch.bias", "patch.bias"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.weight"),
    Tie("block{1..6}.norm{1..2}.shift", "blocks.{0..5}.norm{1..2}.bias"),
    Tie("block{1..6}.query.kernel", "blocks.{0..5}.query.weight"),
    Tie("block{1..6}.query.bias", "blocks.{0..5}.query.bias"),
    Tie("block{1..6}.key.kernel", "blocks.{0..5}.key.weight"),
    Tie("block{1..6}.key.bias", "blocks.{0..5}.key.bias"),
    Tie("block{1..6}.value.kernel", "blocks.{0..5}.value.weight"),
    Tie("block{1..6}.value.bias", "blocks.{0..5}.value.bias"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight"),
    Tie("block{1..6}.projection.bias", "blocks.{0..5}.projection.bias"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight"),
    Tie("block{1..6}.up.bias", "blocks.{0..5}.up.bias"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight"),
    Tie("block{1..6}.down.bias", "blocks.{0..5}.down.bias"),
    Tie("norm.scale", "norm.weight"),
    Tie("norm.shift", "norm.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
