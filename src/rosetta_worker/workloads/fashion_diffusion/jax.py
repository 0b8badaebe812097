"""fashion-diffusion in JAX: Flax NNX and Optax."""

import jax
import optax
from flax import nnx
from jax import numpy as jnp

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie


class Model(nnx.Module):
    """Noisy images and their time steps (n, 784 + 1) to the noise (n, 784)."""

    def __init__(self, rngs):
        self.time1 = nnx.Linear(128, 128, rngs=rngs)
        self.time2 = nnx.Linear(128, 128, rngs=rngs)
        self.stem = nnx.Conv(1, 32, kernel_size=(3, 3), padding="SAME", rngs=rngs)
        self.block1 = Block(32, 32, rngs)
        self.block2 = Block(32, 32, rngs)
        self.down = nnx.Conv(32, 32, kernel_size=(3, 3), strides=2, padding="SAME", rngs=rngs)
        self.block3 = Block(32, 32, rngs)
        self.attention = Attention(32, 4, rngs)
        self.block4 = Block(32, 32, rngs)
        self.up = nnx.Conv(32, 32, kernel_size=(3, 3), padding="SAME", rngs=rngs)
        self.block5 = Block(64, 32, rngs)
        self.block6 = Block(64, 32, rngs)
        self.norm = nnx.GroupNorm(32, 8, epsilon=1e-6, rngs=rngs)
        self.out = nnx.Conv(32, 1, kernel_size=(3, 3), padding="SAME", rngs=rngs)

    def __call__(self, inputs):
        image, time = inputs[:, :784].reshape(-1, 28, 28, 1), inputs[:, 784]
        time = self.time2(nnx.silu(self.time1(waves(time))))
        x1 = self.block1(self.stem(image), time)
        x2 = self.block2(x1, time)
        x = self.down(x2)
        x = self.attention(self.block3(x, time))
        x = self.block4(x, time)
        x = self.up(x.repeat(2, axis=1).repeat(2, axis=2))  # each pixel four times
        x = self.block5(jnp.concat([x, x2], axis=-1), time)
        x = self.block6(jnp.concat([x, x1], axis=-1), time)
        return self.out(nnx.silu(self.norm(x))).reshape(-1, 784)


class Block(nnx.Module):
    """Two convolutions, each behind a normalisation, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels, rngs):
        self.norm1 = nnx.GroupNorm(inputs, 8, epsilon=1e-6, rngs=rngs)
        self.conv1 = nnx.Conv(inputs, channels, kernel_size=(3, 3), padding="SAME", rngs=rngs)
        self.time = nnx.Linear(128, channels, rngs=rngs)
        self.norm2 = nnx.GroupNorm(channels, 8, epsilon=1e-6, rngs=rngs)
        self.conv2 = nnx.Conv(channels, channels, kernel_size=(3, 3), padding="SAME", rngs=rngs)
        self.shortcut = (
            nnx.Conv(inputs, channels, kernel_size=(1, 1), rngs=rngs) if inputs != channels else nnx.identity
        )

    def __call__(self, x, time):
        y = self.conv1(nnx.silu(self.norm1(x)))
        y = y + self.time(nnx.silu(time))[:, None, None, :]
        y = self.conv2(nnx.silu(self.norm2(y)))
        return self.shortcut(x) + y


class Attention(nnx.Module):
    """Self-attention between all pixels, behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.heads = heads
        self.norm = nnx.GroupNorm(width, 8, epsilon=1e-6, rngs=rngs)
        self.query = nnx.Linear(width, width, rngs=rngs)
        self.key = nnx.Linear(width, width, rngs=rngs)
        self.value = nnx.Linear(width, width, rngs=rngs)
        self.projection = nnx.Linear(width, width, rngs=rngs)

    def __call__(self, x):
        y = self.norm(x).reshape(len(x), -1, x.shape[-1])  # (n, pixels, width)
        q, k, v = self.query(y), self.key(y), self.value(y)
        q, k, v = (y.reshape(*y.shape[:2], self.heads, -1) for y in (q, k, v))  # (n, pixels, heads, in a head)
        y = jax.nn.dot_product_attention(q, k, v)
        return x + self.projection(y.reshape(x.shape))


def waves(time):
    """Return 64 sines and 64 cosines of time steps (n,), each slower than the one before."""
    rates = 10000 ** (-jnp.arange(64) / 63)
    return jnp.concat([jnp.sin(time[:, None] * rates), jnp.cos(time[:, None] * rates)], axis=1)


def loss(outputs, noise):
    return optax.squared_error(outputs, noise).mean()


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("time{1..2}.kernel block{1..6}.time.kernel", "time{1..2}.kernel block{1..6}.time.kernel", TRANSPOSE),
    Tie("time{1..2}.bias block{1..6}.time.bias", "time{1..2}.bias block{1..6}.time.bias"),
    Tie("stem.kernel down.kernel up.kernel out.kernel", "stem.kernel down.kernel up.kernel out.kernel", CHANNELS_LAST),
    Tie("stem.bias down.bias up.bias out.bias", "stem.bias down.bias up.bias out.bias"),
    Tie("block{1..6}.norm{1..2}.scale", "block{1..6}.norm{1..2}.scale"),
    Tie("block{1..6}.norm{1..2}.shift", "block{1..6}.norm{1..2}.bias"),
    Tie("block{1..6}.conv{1..2}.kernel", "block{1..6}.conv{1..2}.kernel", CHANNELS_LAST),
    Tie("block{1..6}.conv{1..2}.bias", "block{1..6}.conv{1..2}.bias"),
    Tie("block{5..6}.shortcut.kernel", "block{5..6}.shortcut.kernel", CHANNELS_LAST),
    Tie("block{5..6}.shortcut.bias", "block{5..6}.shortcut.bias"),
    Tie("attention.norm.scale norm.scale", "attention.norm.scale norm.scale"),
    Tie("attention.norm.shift norm.shift", "attention.norm.bias norm.bias"),
    Tie("attention.query.kernel attention.key.kernel", "attention.query.kernel attention.key.kernel", TRANSPOSE),
    Tie("attention.query.bias attention.key.bias", "attention.query.bias attention.key.bias"),
    Tie("attention.value.kernel", "attention.value.kernel", TRANSPOSE),
    Tie("attention.value.bias", "attention.value.bias"),
    Tie("attention.projection.kernel", "attention.projection.kernel", TRANSPOSE),
    Tie("attention.projection.bias", "attention.projection.bias"),
]
