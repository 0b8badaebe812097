"""imdb-gru in JAX and Optax, as fast as we can write it: one program cuts the batch, takes the step, sums the loss.

The process keeps freed memory. It takes turns as benchmarks/plain/imdb_gru_jax.py does, with the same arguments.
"""

import ctypes
import sys
from time import perf_counter

import jax
import numpy as np
import optax
from flax import nnx
from jax import numpy as jnp

KEPT = ((-4, 0), (-2, 2**26), (-1, -1))
"""Values of mallopt: M_MMAP_MAX, M_TOP_PAD, M_TRIM_THRESHOLD."""


class Classifier(nnx.Module):
    """Token ids (n, 150) to logits (n, 2). Flax's own GRU: its recurrent product has no bias."""

    def __init__(self, rngs):
        self.embedding = nnx.Embed(30000, 125, rngs=rngs)
        self.gru = nnx.RNN(nnx.GRUCell(125, 100, rngs=rngs))
        self.output = nnx.Linear(100, 2, rngs=rngs)

    def __call__(self, tokens):
        """Return the logits."""
        states = self.gru(self.embedding(tokens), initial_carry=jnp.zeros((len(tokens), 100)))
        return self.output(states[:, -1])


def mean_loss(parameters, tokens, labels):
    """Return the mean cross-entropy of a batch."""
    logits = nnx.merge(graph, parameters, others)(tokens)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@jax.jit
def train_step(parameters, state, total, inputs, labels, ids):
    """Take one optimiser step on the samples `ids`; return all that changes, and the sum of the losses."""
    loss, gradients = jax.value_and_grad(mean_loss)(parameters, inputs[ids], labels[ids])
    updates, state = adam.update(gradients, state)
    return optax.apply_updates(parameters, updates), state, total + loss


for name, value in KEPT:
    ctypes.CDLL(None).mallopt(name, value)
inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = jnp.asarray(inputs), jnp.asarray(labels)
adam = optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-8)
graph, parameters, others = nnx.split(Classifier(nnx.Rngs(0)), nnx.Param, ...)
state = adam.init(parameters)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = jnp.zeros(())
    for ids in batches[done : done + steps]:
        parameters, state, total = train_step(parameters, state, total, inputs, labels, ids)
    jax.block_until_ready((parameters, state, total))
    print(perf_counter() - start, float(total / steps), flush=True)
    done += steps
