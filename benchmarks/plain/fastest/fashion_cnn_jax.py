"""fashion-cnn in JAX and Optax, as fast as we can write it: Eigen convolves, and one program is the whole step.

The process keeps freed memory. It takes turns as benchmarks/plain/fashion_cnn_jax.py does, with the same arguments.
"""

import ctypes
import sys
from time import perf_counter

import jax
import numpy as np
import optax
from jax import numpy as jnp

EIGEN_CONVOLVES = {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_DOT,LIBRARY_FUSION_TYPE_REDUCE"}
KEPT = ((-4, 0), (-2, 2**26), (-1, -1))
"""Values of mallopt: M_MMAP_MAX, M_TOP_PAD, M_TRIM_THRESHOLD."""


def draw(key, *shape):
    """Return the kernel and bias of a layer; the last axis counts its outputs."""
    return jax.random.normal(key, shape) * np.prod(shape[:-1]) ** -0.5, jnp.zeros(shape[-1])


def convolve(images, kernel, bias):
    """Return the rectified convolution of images (n, height, width, channels)."""
    layout = ("NHWC", "HWIO", "NHWC")
    return jax.nn.relu(jax.lax.conv_general_dilated(images, kernel, (1, 1), "VALID", dimension_numbers=layout) + bias)


def mean_loss(parameters, images, labels):
    """Return the mean cross-entropy of a batch."""
    first, second, (output, bias) = parameters
    features = convolve(convolve(images, *first), *second)
    logits = features.reshape(len(features), -1) @ output + bias
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def take_step(parameters, state, total, inputs, labels, ids):
    """Take one optimiser step on the samples `ids`; return all that changes, and the sum of the losses."""
    loss, gradients = jax.value_and_grad(mean_loss)(parameters, inputs[ids], labels[ids])
    updates, state = adam.update(gradients, state)
    return optax.apply_updates(parameters, updates), state, total + loss


for name, value in KEPT:
    ctypes.CDLL(None).mallopt(name, value)
train_step = jax.jit(take_step, compiler_options=EIGEN_CONVOLVES)
inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = jnp.asarray(inputs.transpose(0, 2, 3, 1)), jnp.asarray(labels)
adam = optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-8)
keys = jax.random.split(jax.random.key(0), 3)
parameters = draw(keys[0], 3, 3, 1, 64), draw(keys[1], 3, 3, 64, 32), draw(keys[2], 18432, 10)
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
