"""fashion-diffusion in MLX."""

import mlx.core as mx
from mlx import nn
from mlx.optimizers import Adam

from rosetta_worker.tensors import Tie, permute


class Model(nn.Module):
    """Noisy images and their time steps (n, 784 + 1) to the noise (n, 784)."""

    def __init__(self):
        super().__init__()
        self.time1 = nn.Linear(128, 128)
        self.time2 = nn.Linear(128, 128)
        self.stem = nn.Conv2d(1, 32, kernel_size=3, padding=1)
        self.block1 = Block(32, 32)
        self.block2 = Block(32, 32)
        self.down = nn.Conv2d(32, 32, kernel_size=3, stride=2)
        self.block3 = Block(32, 32)
        self.attention = Attention(32, 4)
        self.block4 = Block(32, 32)
        self.up = nn.Conv2d(32, 32, kernel_size=3, padding=1)
        self.block5 = Block(64, 32)
        self.block6 = Block(64, 32)
        self.norm = nn.GroupNorm(8, 32, eps=1e-6, pytorch_compatible=True)
        self.out = nn.Conv2d(32, 1, kernel_size=3, padding=1)

    def __call__(self, inputs):
        image, time = inputs[:, :784].reshape(-1, 28, 28, 1), inputs[:, 784]
        time = self.time2(nn.silu(self.time1(waves(time))))
        x1 = self.block1(self.stem(image), time)
        x2 = self.block2(x1, time)
        x = self.down(mx.pad(x2, [(0, 0), (0, 1), (0, 1), (0, 0)]))  # zeros after, none before
        x = self.attention(self.block3(x, time))
        x = self.block4(x, time)
        x = self.up(mx.repeat(mx.repeat(x, 2, axis=1), 2, axis=2))  # each pixel four times
        x = self.block5(mx.concatenate([x, x2], axis=-1), time)
        x = self.block6(mx.concatenate([x, x1], axis=-1), time)
        return self.out(nn.silu(self.norm(x))).flatten(1)


class Block(nn.Module):
    """Two convolutions, each behind a normalisation, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels):
        super().__init__()
        self.norm1 = nn.GroupNorm(8, inputs, eps=1e-6, pytorch_compatible=True)
        self.conv1 = nn.Conv2d(inputs, channels, kernel_size=3, padding=1)
        self.time = nn.Linear(128, channels)
        self.norm2 = nn.GroupNorm(8, channels, eps=1e-6, pytorch_compatible=True)
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1)
        self.shortcut = nn.Conv2d(inputs, channels, kernel_size=1) if inputs != channels else nn.Identity()

    def __call__(self, x, time):
        y = self.conv1(nn.silu(self.norm1(x)))
        y = y + self.time(nn.silu(time))[:, None, None, :]
        y = self.conv2(nn.silu(self.norm2(y)))
        return self.shortcut(x) + y


class Attention(nn.Module):
    """Self-attention between all pixels, behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, width, eps=1e-6, pytorch_compatible=True)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.projection = nn.Linear(width, width)

    def __call__(self, x):
        y = self.norm(x).flatten(1, 2)  # (n, pixels, width)
        q, k, v = self.query(y), self.key(y), self.value(y)
        q, k, v = (mx.unflatten(y, -1, (self.heads, -1)).swapaxes(1, 2) for y in (q, k, v))  # heads before pixels
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5)
        return x + self.projection(y.swapaxes(1, 2).reshape(x.shape))


def waves(time):
    """Return 64 sines and 64 cosines of time steps (n,), each slower than the one before."""
    rates = 10000 ** (-mx.arange(64) / 63)
    return mx.concatenate([mx.sin(time[:, None] * rates), mx.cos(time[:, None] * rates)], axis=1)


def loss(outputs, noise):
    return nn.losses.mse_loss(outputs, noise)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, bias_correction=True)


KERNEL = permute(0, 2, 3, 1)  # (out, height, width, in)

TENSORS = [
    Tie("time{1..2}.kernel block{1..6}.time.kernel", "time{1..2}.weight block{1..6}.time.weight"),
    Tie("time{1..2}.bias block{1..6}.time.bias", "time{1..2}.bias block{1..6}.time.bias"),
    Tie("stem.kernel down.kernel up.kernel out.kernel", "stem.weight down.weight up.weight out.weight", KERNEL),
    Tie("stem.bias down.bias up.bias out.bias", "stem.bias down.bias up.bias out.bias"),
    Tie("block{1..6}.norm{1..2}.scale", "block{1..6}.norm{1..2}.weight"),
    Tie("block{1..6}.norm{1..2}.shift", "block{1..6}.norm{1..2}.bias"),
    Tie("block{1..6}.conv{1..2}.kernel", "block{1..6}.conv{1..2}.weight", KERNEL),
    Tie("block{1..6}.conv{1..2}.bias", "block{1..6}.conv{1..2}.bias"),
    Tie("block{5..6}.shortcut.kernel", "block{5..6}.shortcut.weight", KERNEL),
    Tie("block{5..6}.shortcut.bias", "block{5..6}.shortcut.bias"),
    Tie("attention.norm.scale norm.scale", "attention.norm.weight norm.weight"),
    Tie("attention.norm.shift norm.shift", "attention.norm.bias norm.bias"),
    Tie("attention.query.kernel attention.key.kernel", "attention.query.weight attention.key.weight"),
    Tie("attention.query.bias attention.key.bias", "attention.query.bias attention.key.bias"),
    Tie("attention.value.kernel", "attention.value.weight"),
    Tie("attention.value.bias", "attention.value.bias"),
    Tie("attention.projection.kernel", "attention.projection.weight"),
    Tie("attention.projection.bias", "attention.projection.bias"),
]
