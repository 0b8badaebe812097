"""fashion-mlp in JAX and Optax, as fast as we can write it: one program cuts the batch, takes the step, sums the loss.

It takes turns as benchmarks/plain/fashion_mlp_jax.py does, with the same arguments.
"""

import sys
from time import perf_counter

import jax
import numpy as np
import optax
from jax import numpy as jnp


def dense(key, fan_in, fan_out):
    """Return the kernel and bias of a layer."""
    return jax.random.normal(key, (fan_in, fan_out)) * fan_in**-0.5, jnp.zeros(fan_out)


def mean_loss(parameters, images, labels):
    """Return the mean cross-entropy of a batch."""
    (hidden, bias), (output, output_bias) = parameters
    logits = jax.nn.relu(images @ hidden + bias) @ output + output_bias
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@jax.jit
def train_step(parameters, state, total, inputs, labels, ids):
    """Take one optimiser step on the samples `ids`; return all that changes, and the sum of the losses."""
    loss, gradients = jax.value_and_grad(mean_loss)(parameters, inputs[ids], labels[ids])
    updates, state = adam.update(gradients, state)
    return optax.apply_updates(parameters, updates), state, total + loss


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = jnp.asarray(inputs), jnp.asarray(labels)
adam = optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-8)
first, second = jax.random.split(jax.random.key(0))
parameters = dense(first, 784, 128), dense(second, 128, 10)
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
