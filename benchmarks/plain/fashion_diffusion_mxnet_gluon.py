"""fashion-diffusion in MXNet Gluon as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs (a noisy image and its time step a row), labels (the noise) and batches (sample ids,
one row a step), and the number of threads.
The environment decides on the threads, not the last argument.
MXNet's group normalisation scales and shifts groups; the model's does so with channels, as that of other frameworks.
"""

import sys
from math import sqrt
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn


def convolution(channels):
    """Return a convolution of 3×3."""
    return nn.Conv2D(channels, kernel_size=3, padding=1)


class Norm(gluon.Block):
    """A group normalisation with a scale and a shift for each channel."""

    def __init__(self, channels):
        super().__init__()
        self.groups = nn.GroupNorm(8, epsilon=1e-6, center=False, scale=False)
        self.scale = self.params.get("scale", shape=(1, channels, 1, 1), init="ones")
        self.shift = self.params.get("shift", shape=(1, channels, 1, 1), init="zeros")

    def forward(self, x):
        """Return the normalised images."""
        x = mx.nd.broadcast_mul(self.groups(x), self.scale.data())
        return mx.nd.broadcast_add(x, self.shift.data())


class Sequence(nn.Sequential):
    """Layers one behind the other."""

    def __init__(self, *given):
        super().__init__()
        self.add(*given)


class Block(gluon.Block):
    """Two convolutions, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels):
        super().__init__()
        self.before = Sequence(Norm(inputs), nn.Swish(), convolution(channels))
        self.time = Sequence(nn.Swish(), nn.Dense(channels))
        self.behind = Sequence(Norm(channels), nn.Swish(), convolution(channels))
        self.shortcut = Sequence()  # of nothing: what comes in
        if inputs != channels:
            self.shortcut.add(nn.Conv2D(channels, kernel_size=1))

    def forward(self, x, time):
        """Return what goes into the next block."""
        shift = self.time(time).reshape((0, 0, 1, 1))
        return self.shortcut(x) + self.behind(mx.nd.broadcast_add(self.before(x), shift))


class Attention(gluon.Block):
    """Self-attention of all pixels, beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = Norm(width)
        self.qkv = nn.Dense(3 * width, flatten=False)
        self.projection = nn.Dense(width, flatten=False)

    def forward(self, x):
        """Return what goes into the next block."""
        n, width, height, across = x.shape
        pixels = height * across
        y = self.norm(x).reshape((n, width, pixels)).transpose((0, 2, 1))
        q, k, v = self.qkv(y).split(3, axis=2)
        q, k, v = (y.reshape((n, pixels, self.heads, -1)).transpose((0, 2, 1, 3)) for y in (q, k, v))
        q, k, v = (y.reshape((n * self.heads, pixels, -1)) for y in (q, k, v))
        scores = mx.nd.batch_dot(q / sqrt(width / self.heads), k, transpose_b=True)
        y = mx.nd.batch_dot(mx.nd.softmax(scores), v)
        y = y.reshape((n, self.heads, pixels, -1)).transpose((0, 2, 1, 3)).reshape((n, pixels, width))
        return x + self.projection(y).transpose((0, 2, 1)).reshape(x.shape)


class UNet(gluon.Block):
    """Noisy images (n, 1, 28, 28) and time steps (n,) to the noise (n, 1, 28, 28)."""

    def __init__(self):
        super().__init__()
        self.rates = mx.nd.array([10000 ** (-number / 63) for number in range(64)]).reshape((1, 64))
        self.time = Sequence(nn.Dense(128), nn.Swish(), nn.Dense(128))
        self.stem = convolution(32)
        self.block1 = Block(32, 32)
        self.block2 = Block(32, 32)
        self.down = nn.Conv2D(32, kernel_size=3, strides=2)
        self.block3 = Block(32, 32)
        self.attention = Attention(32, 4)
        self.block4 = Block(32, 32)
        self.up = convolution(32)
        self.block5 = Block(64, 32)
        self.block6 = Block(64, 32)
        self.last = Sequence(Norm(32), nn.Swish(), convolution(1))

    def forward(self, images, times):
        """Return the noise."""
        angles = mx.nd.broadcast_mul(times.expand_dims(1), self.rates)
        time = self.time(mx.nd.concat(angles.sin(), angles.cos(), dim=1))
        x1 = self.block1(self.stem(images), time)
        x2 = self.block2(x1, time)
        x = self.down(mx.nd.pad(x2, "constant", (0, 0, 0, 0, 0, 1, 0, 1)))  # zeros behind, none in front
        x = self.attention(self.block3(x, time))
        x = self.block4(x, time)
        x = self.up(mx.nd.UpSampling(x, scale=2, sample_type="nearest"))
        x = self.block5(mx.nd.concat(x, x2, dim=1), time)
        x = self.block6(mx.nd.concat(x, x1, dim=1), time)
        return self.last(x)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
images, times = mx.nd.array(inputs[:, :784].reshape(-1, 1, 28, 28)), mx.nd.array(inputs[:, 784])
noise = mx.nd.array(labels.reshape(-1, 1, 28, 28))
model = UNet()
model.initialize(mx.init.Xavier())
squared_error = gluon.loss.L2Loss(weight=2)  # MXNet's is the half
adam = {"learning_rate": 2e-4, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
trainer = gluon.Trainer(model.collect_params(), "adam", adam)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = mx.nd.zeros(1)
    for ids in batches[done : done + steps]:
        index = mx.nd.array(ids, dtype="int32")
        with autograd.record():
            loss = squared_error(model(images.take(index), times.take(index)), noise.take(index))
        loss.backward()
        trainer.step(len(ids))
        total += loss.mean()
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
