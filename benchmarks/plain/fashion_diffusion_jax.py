"""fashion-diffusion in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs (a noisy image and its time step a row), labels (the noise) and batches (sample ids,
one row a step), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import jax
import numpy as np
import optax
from flax import nnx
from jax import numpy as jnp


def convolution(inputs, channels, rngs, stride=1):
    """Return a convolution of 3×3."""
    return nnx.Conv(inputs, channels, kernel_size=(3, 3), strides=stride, rngs=rngs)


def norm(channels, rngs):
    """Return a group normalisation."""
    return nnx.GroupNorm(channels, num_groups=8, epsilon=1e-6, rngs=rngs)


class Block(nnx.Module):
    """Two convolutions, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels, rngs):
        self.before = nnx.Sequential(norm(inputs, rngs), nnx.silu, convolution(inputs, channels, rngs))
        self.time = nnx.Sequential(nnx.silu, nnx.Linear(128, channels, rngs=rngs))
        self.behind = nnx.Sequential(norm(channels, rngs), nnx.silu, convolution(channels, channels, rngs))
        smaller = inputs != channels
        self.shortcut = nnx.Conv(inputs, channels, kernel_size=(1, 1), rngs=rngs) if smaller else None

    def __call__(self, x, time):
        """Return what goes into the next block."""
        y = self.behind(self.before(x) + self.time(time)[:, None, None])
        return y + (x if self.shortcut is None else self.shortcut(x))


class Attention(nnx.Module):
    """Self-attention of all pixels, beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.norm = norm(width, rngs)
        self.attention = nnx.MultiHeadAttention(heads, width, decode=False, rngs=rngs)

    def __call__(self, x):
        """Return what goes into the next block."""
        n, height, across, width = x.shape
        y = self.attention(self.norm(x).reshape(n, height * across, width))
        return x + y.reshape(x.shape)


class UNet(nnx.Module):
    """Noisy images (n, 28, 28, 1) and time steps (n,) to the noise (n, 28, 28, 1)."""

    def __init__(self, rngs):
        self.time = nnx.Sequential(nnx.Linear(128, 128, rngs=rngs), nnx.silu, nnx.Linear(128, 128, rngs=rngs))
        self.stem = convolution(1, 32, rngs)
        self.block1 = Block(32, 32, rngs)
        self.block2 = Block(32, 32, rngs)
        self.down = convolution(32, 32, rngs, stride=2)
        self.block3 = Block(32, 32, rngs)
        self.attention = Attention(32, 4, rngs)
        self.block4 = Block(32, 32, rngs)
        self.up = convolution(32, 32, rngs)
        self.block5 = Block(64, 32, rngs)
        self.block6 = Block(64, 32, rngs)
        self.output = nnx.Sequential(norm(32, rngs), nnx.silu, convolution(32, 1, rngs))

    def __call__(self, images, times):
        """Return the noise."""
        angles = times[:, None] * 10000 ** (-jnp.arange(64) / 63)
        time = self.time(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=1))
        x1 = self.block1(self.stem(images), time)
        x2 = self.block2(x1, time)
        x = self.attention(self.block3(self.down(x2), time))
        x = self.block4(x, time)
        x = self.up(jax.image.resize(x, (len(x), 28, 28, 32), "nearest"))
        x = self.block5(jnp.concatenate([x, x2], axis=-1), time)
        x = self.block6(jnp.concatenate([x, x1], axis=-1), time)
        return self.output(x)


@nnx.jit
def train_step(model, optimizer, images, times, noise):
    """Take one optimiser step; return the loss."""

    def mean_loss(model):
        return optax.squared_error(model(images, times), noise).mean()

    loss, gradients = nnx.value_and_grad(mean_loss)(model)
    optimizer.update(model, gradients)
    return loss


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
images, times = np.ascontiguousarray(inputs[:, :784]).reshape(-1, 28, 28, 1), inputs[:, 784]
noise = labels.reshape(-1, 28, 28, 1)
model = UNet(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(2e-4, b1=0.9, b2=0.999, eps=1e-8), wrt=nnx.Param)
step = nnx.cached_partial(train_step, model, optimizer)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = jnp.zeros(())
    for ids in batches[done : done + steps]:
        total += step(images[ids], times[ids], noise[ids])
    jax.block_until_ready((total, nnx.state(optimizer), nnx.state(model)))
    print(perf_counter() - start, float(total / steps), flush=True)
    done += steps
