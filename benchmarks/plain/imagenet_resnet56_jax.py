"""imagenet-resnet56 in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

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
    """Two convolutions beside a shortcut, which is a convolution itself where the image gets smaller."""

    def __init__(self, inputs, channels, stride, rngs):
        self.conv1 = nnx.Conv(inputs, channels, kernel_size=(3, 3), strides=stride, rngs=rngs)
        self.norm1 = norm(channels, rngs)
        self.conv2 = nnx.Conv(channels, channels, kernel_size=(3, 3), rngs=rngs)
        self.norm2 = norm(channels, rngs)
        self.shortcut = nnx.Conv(inputs, channels, kernel_size=(1, 1), strides=2, rngs=rngs) if stride == 2 else None

    def __call__(self, x):
        """Return what goes into the next block."""
        y = nnx.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return nnx.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class Classifier(nnx.Module):
    """Images (n, 256, 256, 3) to logits (n, 1000)."""

    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 16, kernel_size=(3, 3), rngs=rngs)
        self.norm = norm(16, rngs)
        blocks = []
        for channels in (16, 32, 64):
            smaller = channels > 16
            blocks.append(Block(channels // 2 if smaller else channels, channels, 2 if smaller else 1, rngs))
            blocks += [Block(channels, channels, 1, rngs) for _ in range(8)]
        self.blocks = nnx.Sequential(*blocks)
        self.output = nnx.Linear(4096, 1000, rngs=rngs)

    def __call__(self, images):
        """Return the logits."""
        x = self.blocks(nnx.relu(self.norm(self.stem(images))))
        x = nnx.avg_pool(x, window_shape=(8, 8), strides=(8, 8))
        return self.output(x.reshape(len(x), -1))


@nnx.jit
def train_step(model, optimizer, inputs, labels):
    """Take one optimiser step; return the loss."""

    def penalised_loss(model):
        kernels = [tensor for tensor in jax.tree.leaves(nnx.state(model, nnx.Param)) if tensor.ndim > 1]
        losses = optax.softmax_cross_entropy_with_integer_labels(model(inputs), labels)
        return losses.mean() + 1e-4 * optax.tree.norm(kernels, squared=True)

    loss, gradients = nnx.value_and_grad(penalised_loss)(model)
    optimizer.update(model, gradients)
    return loss


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.divide(inputs, 255, dtype="float32")  # from 0 to 1
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = Classifier(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-8), wrt=nnx.Param)
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
