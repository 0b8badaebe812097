"""resnet50-synthetic in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import jax
import numpy as np
import optax
from flax import nnx
from jax import numpy as jnp


def norm(channels, rngs):
    """Return a batch normalisation."""
    return nnx.BatchNorm(channels, momentum=0.99, epsilon=1e-3, rngs=rngs)


class Block(nnx.Module):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""

    def __init__(self, inputs, channels, stride, rngs):
        self.conv1 = nnx.Conv(inputs, channels, kernel_size=(1, 1), strides=stride, rngs=rngs)
        self.norm1 = norm(channels, rngs)
        self.conv2 = nnx.Conv(channels, channels, kernel_size=(3, 3), rngs=rngs)
        self.norm2 = norm(channels, rngs)
        self.conv3 = nnx.Conv(channels, 4 * channels, kernel_size=(1, 1), rngs=rngs)
        self.norm3 = norm(4 * channels, rngs)
        if inputs == 4 * channels:
            self.shortcut = None
        else:
            convolution = nnx.Conv(inputs, 4 * channels, kernel_size=(1, 1), strides=stride, rngs=rngs)
            self.shortcut = nnx.Sequential(convolution, norm(4 * channels, rngs))

    def __call__(self, x):
        """Return what goes into the next block."""
        y = nnx.relu(self.norm1(self.conv1(x)))
        y = nnx.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        return nnx.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class Classifier(nnx.Module):
    """Images (n, 256, 256, 3) to logits (n, 1000)."""

    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 64, kernel_size=(7, 7), strides=2, padding=3, rngs=rngs)
        self.norm = norm(64, rngs)
        blocks = []
        width = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                blocks.append(Block(width, channels, 2 if number == 0 and channels > 64 else 1, rngs))
                width = 4 * channels
        self.blocks = nnx.Sequential(*blocks)
        self.output = nnx.Linear(2048, 1000, rngs=rngs)

    def __call__(self, images):
        """Return the logits."""
        x = nnx.relu(self.norm(self.stem(images)))
        x = nnx.max_pool(x, window_shape=(3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        x = self.blocks(x)
        return self.output(x.mean((1, 2)))


@nnx.jit
def train_step(model, optimizer, inputs, labels):
    """Take one optimiser step; return the loss."""

    def mean_loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(inputs), labels).mean()

    loss, gradients = nnx.value_and_grad(mean_loss)(model)
    optimizer.update(model, gradients)
    return loss


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = Classifier(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.rmsprop(1e-4, decay=0.9, eps=1e-7, eps_in_sqrt=False), wrt=nnx.Param)
step = nnx.cached_partial(train_step, model, optimizer)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = jnp.zeros(())
    for ids in batches[done : done + steps]:
        total += step(inputs[ids], labels[ids])
    jax.block_until_ready((total, nnx.state(optimizer), nnx.state(model)))
    print(perf_counter() - start, float(total / steps), flush=True)
    done += steps
