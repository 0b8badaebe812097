"""chestxray-densenet121 in JAX with Flax NNX and Optax as one would write it without a laboratory: one file, one loop.

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
    return nnx.BatchNorm(channels, momentum=0.9, epsilon=1e-5, rngs=rngs)


class Layer(nnx.Module):
    """What comes in, and beside it 32 maps more."""

    def __init__(self, inputs, rngs):
        self.norm1 = norm(inputs, rngs)
        self.conv1 = nnx.Conv(inputs, 128, kernel_size=(1, 1), use_bias=False, rngs=rngs)
        self.norm2 = norm(128, rngs)
        self.conv2 = nnx.Conv(128, 32, kernel_size=(3, 3), use_bias=False, rngs=rngs)

    def __call__(self, x):
        """Return what goes into the next layer."""
        y = self.conv1(nnx.relu(self.norm1(x)))
        y = self.conv2(nnx.relu(self.norm2(y)))
        return jnp.concatenate([x, y], axis=-1)


class Transition(nnx.Module):
    """Half as many maps, of half the height and width."""

    def __init__(self, inputs, rngs):
        self.norm = norm(inputs, rngs)
        self.conv = nnx.Conv(inputs, inputs // 2, kernel_size=(1, 1), use_bias=False, rngs=rngs)

    def __call__(self, x):
        """Return what goes into the next layer."""
        y = self.conv(nnx.relu(self.norm(x)))
        return nnx.avg_pool(y, window_shape=(2, 2), strides=(2, 2))


class Classifier(nnx.Module):
    """Images (n, 224, 224, 3) to logits (n, 14)."""

    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 64, kernel_size=(7, 7), strides=2, padding=3, use_bias=False, rngs=rngs)
        self.norm = norm(64, rngs)
        layers = []
        channels = 64
        for depth in (6, 12, 24, 16):
            if channels > 64:
                layers.append(Transition(channels, rngs))
                channels //= 2
            for _ in range(depth):
                layers.append(Layer(channels, rngs))
                channels += 32
        self.layers = nnx.Sequential(*layers)
        self.final = norm(channels, rngs)
        self.output = nnx.Linear(channels, 14, rngs=rngs)

    def __call__(self, images):
        """Return the logits."""
        x = nnx.relu(self.norm(self.stem(images)))
        x = nnx.max_pool(x, window_shape=(3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        x = nnx.relu(self.final(self.layers(x)))
        return self.output(x.mean((1, 2)))


@nnx.jit
def train_step(model, optimizer, inputs, labels):
    """Take one optimiser step; return the loss."""

    def mean_loss(model):
        return optax.sigmoid_binary_cross_entropy(model(inputs), labels).mean()

    loss, gradients = nnx.value_and_grad(mean_loss)(model)
    optimizer.update(model, gradients)
    return loss


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = Classifier(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-4, b1=0.9, b2=0.999, eps=1e-8), wrt=nnx.Param)
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
