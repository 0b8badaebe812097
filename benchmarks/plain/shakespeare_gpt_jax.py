"""shakespeare-gpt in JAX, with Flax NNX and Optax, as one would write it without a laboratory: one file, one loop.

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
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(heads, width, use_bias=False, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, use_bias=False, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, use_bias=False, rngs=rngs)

    def __call__(self, x, mask):
        """Return what goes into the next block."""
        x = x + self.attention(self.norm1(x), mask=mask)
        return x + self.down(nnx.gelu(self.up(self.norm2(x)), approximate=False))


class GPT(nnx.Module):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self, rngs):
        self.token = nnx.Embed(65, 128, rngs=rngs)
        self.position = nnx.Embed(64, 128, rngs=rngs)
        self.blocks = nnx.List([Block(128, 4, rngs) for _ in range(4)])
        self.norm = nnx.LayerNorm(128, epsilon=1e-5, use_bias=False, rngs=rngs)

    def __call__(self, ids):
        """Return the logits."""
        x = self.token(ids) + self.position(jnp.arange(ids.shape[1]))
        mask = nnx.make_causal_mask(ids)
        for block in self.blocks:
            x = block(x, mask)
        return self.token.attend(self.norm(x))


@nnx.jit
def train_step(model, optimizer, inputs, labels):
    """Take one optimiser step; return the loss."""

    def mean_loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(inputs), labels).mean()

    loss, gradients = nnx.value_and_grad(mean_loss)(model)
    optimizer.update(model, gradients)
    return loss


def matrices(weights):
    """Return which weights decay: those of more than one dimension."""
    return jax.tree.map(lambda tensor: tensor.ndim > 1, weights)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
model = GPT(nnx.Rngs(0))
adamw = optax.adamw(1e-3, b1=0.9, b2=0.99, eps=1e-8, weight_decay=0.1, mask=matrices)
optimizer = nnx.Optimizer(model, optax.chain(optax.clip_by_global_norm(1.0), adamw), wrt=nnx.Param)
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
