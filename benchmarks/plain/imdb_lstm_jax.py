"""imdb-lstm in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

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
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self, rngs):
        self.embedding = nnx.Embed(5000, 32, rngs=rngs)
        self.lstm = nnx.RNN(nnx.OptimizedLSTMCell(32, 100, rngs=rngs))
        self.output = nnx.Linear(100, 2, rngs=rngs)

    def __call__(self, tokens):
        """Return the logits."""
        states = self.lstm(self.embedding(tokens))
        return self.output(states[:, -1])


@nnx.jit
def train_step(model, optimizer, inputs, labels):
    """Take one optimiser step; return the loss."""

    def mean_loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(inputs), labels).mean()

    loss, gradients = nnx.value_and_grad(mean_loss)(model)
    optimizer.update(model, gradients)
    return loss


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
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
