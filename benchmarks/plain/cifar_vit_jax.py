"""cifar-vit in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

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


class Block(nnx.Module):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-6, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(heads, width, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-6, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x):
        """Return what goes into the next block."""
        x = x + self.attention(self.norm1(x))
        return x + self.down(nnx.gelu(self.up(self.norm2(x)), approximate=False))


class ViT(nnx.Module):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self, rngs):
        self.patch = nnx.Conv(3, 192, kernel_size=(4, 4), strides=4, rngs=rngs)
        self.position = nnx.Param(0.02 * rngs.params.normal((64, 192)))
        self.blocks = nnx.Sequential(*[Block(192, 3, rngs) for _ in range(6)])
        self.norm = nnx.LayerNorm(192, epsilon=1e-6, rngs=rngs)
        self.output = nnx.Linear(192, 10, rngs=rngs)

    def __call__(self, images):
        """Return the logits."""
        tokens = self.patch(images).reshape(-1, 64, 192)
        x = self.norm(self.blocks(tokens + self.position))
        return self.output(x.mean(1))


@nnx.jit
def train_step(model, optimizer, inputs, labels):
    """Take one optimiser step; return the loss."""

    def mean_loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(inputs), labels).mean()

    loss, gradients = nnx.value_and_grad(mean_loss)(model)
    optimizer.update(model, gradients)
    return loss


def kernels(weights):
    """Return which weights decay: kernels only."""
    return jax.tree.map_with_path(lambda path, _: "kernel" in jax.tree_util.keystr(path), weights)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = ViT(nnx.Rngs(0))
adamw = optax.adamw(1e-3, b1=0.9, b2=0.999, eps=1e-8, weight_decay=0.05, mask=kernels)
optimizer = nnx.Optimizer(model, adamw, wrt=nnx.Param)
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
