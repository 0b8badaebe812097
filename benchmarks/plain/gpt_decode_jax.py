"""gpt-decode in JAX, with Flax NNX, as one would write it without a laboratory: one file, one loop.

Nothing is trained: a text of 64 characters on the host gets 128 more, each the likeliest, and comes back to the host.
For the comparison it takes turns: it reads a number of batches from standard input, continues them, and prints the
seconds and, in place of a loss, the mean of the new ids. Arguments: the .npy files of inputs, labels (which it leaves
alone) and batches (consecutive sample ids, one row a batch), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import jax
import numpy as np
from flax import nnx
from jax import numpy as jnp


class Block(nnx.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, rngs):
        self.heads = heads
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.qkv = nnx.Linear(width, 3 * width, use_bias=False, rngs=rngs)
        self.projection = nnx.Linear(width, width, use_bias=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-5, use_bias=False, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, use_bias=False, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, use_bias=False, rngs=rngs)

    def __call__(self, x, keys, values, begin, mask):
        """Return what goes into the next block, and the caches with the keys and values from the place `begin` on."""
        n, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(n, length, 3, self.heads, width // self.heads)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        keys = jax.lax.dynamic_update_slice(keys, k, (0, begin, 0, 0))
        values = jax.lax.dynamic_update_slice(values, v, (0, begin, 0, 0))
        y = jax.nn.dot_product_attention(q, keys, values, mask=mask)
        x = x + self.projection(y.reshape(n, length, width))
        return x + self.down(nnx.gelu(self.up(self.norm2(x)), approximate=False)), keys, values


class GPT(nnx.Module):
    """Character ids (n, length) to logits of the next character (n, 65)."""

    def __init__(self, rngs):
        self.token = nnx.Embed(65, 384, rngs=rngs)
        self.position = nnx.Embed(256, 384, rngs=rngs)
        self.blocks = nnx.List([Block(384, 6, rngs) for _ in range(6)])
        self.norm = nnx.LayerNorm(384, epsilon=1e-5, use_bias=False, rngs=rngs)

    def __call__(self, ids, caches, begin):
        """Return the logits and the new caches."""
        places = begin + jnp.arange(ids.shape[1])
        x = self.token(ids) + self.position(places)
        mask = (jnp.arange(caches[0][0].shape[1]) <= places[:, None])[None, None]
        new = []
        for block, (keys, values) in zip(self.blocks, caches, strict=True):
            x, keys, values = block(x, keys, values, begin, mask)
            new.append((keys, values))
        return self.token.attend(self.norm(x[:, -1])), new


@nnx.jit(static_argnames="count")
def generate(model, ids, count):
    """Return `count` new characters."""
    n, length = ids.shape
    empty = jnp.zeros((n, length + count, 6, 64))
    logits, caches = model(ids, [(empty, empty)] * 6, 0)
    first = logits.argmax(1)

    def extend(state, place):
        last, caches = state
        logits, caches = model(last[:, None], caches, place)
        new = logits.argmax(1)
        return (new, caches), new

    _, others = jax.lax.scan(extend, (first, caches), jnp.arange(length, length + count - 1))
    return jnp.concatenate([first[:, None], others.T], axis=1)


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
model = GPT(nnx.Rngs(0))
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        found.append(np.asarray(generate(model, inputs[ids[0] : ids[0] + len(ids)], count=128)))
    texts = np.concatenate(found)
    print(perf_counter() - start, texts.mean(), flush=True)
    done += steps
