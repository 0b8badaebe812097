"""cifar-vgg in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

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


class Classifier(nnx.Module):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self, rngs):
        self.conv1 = nnx.Conv(3, 50, kernel_size=(3, 3), rngs=rngs)
        self.conv2 = nnx.Conv(50, 50, kernel_size=(3, 3), rngs=rngs)
        self.conv3 = nnx.Conv(50, 100, kernel_size=(3, 3), rngs=rngs)
        self.conv4 = nnx.Conv(100, 100, kernel_size=(3, 3), rngs=rngs)
        self.hidden = nnx.Linear(6400, 512, rngs=rngs)
        self.output = nnx.Linear(512, 10, rngs=rngs)
        self.dropout1 = nnx.Dropout(0.25, rngs=rngs)
        self.dropout2 = nnx.Dropout(0.25, rngs=rngs)
        self.dropout3 = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, images):
        """Return the logits."""
        x = nnx.relu(self.conv1(images))
        x = nnx.relu(nnx.max_pool(self.conv2(x), window_shape=(2, 2), strides=(2, 2)))
        x = nnx.relu(self.conv3(self.dropout1(x)))
        x = nnx.relu(nnx.max_pool(self.conv4(x), window_shape=(2, 2), strides=(2, 2)))
        x = self.dropout2(x).reshape(len(x), -1)
        x = self.dropout3(nnx.relu(self.hidden(x)))
        return self.output(x)


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
optimizer = nnx.Optimizer(model, optax.sgd(0.01, momentum=0.9), wrt=nnx.Param)
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
