"""gpt-decode in MXNet Gluon as one would write it without a laboratory: one file, one loop.

Nothing is trained: a text of 64 characters on the host gets 128 more, each the likeliest, and comes back to the host.
For the comparison it takes turns: it reads a number of batches from standard input, continues them, and prints the
seconds and, in place of a loss, the mean of the new ids. Arguments: the .npy files of inputs, labels (which it leaves
alone) and batches (consecutive sample ids, one row a batch), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from math import sqrt
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet import gluon
from mxnet.gluon import nn


def dense(width):
    """Return a dense layer over the last axis, without a bias."""
    return nn.Dense(width, use_bias=False, flatten=False)


class Block(gluon.Block):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(epsilon=1e-5, center=False)
        self.qkv = dense(3 * width)
        self.projection = dense(width)
        self.norm2 = nn.LayerNorm(epsilon=1e-5, center=False)
        self.mlp = nn.Sequential()
        self.mlp.add(dense(4 * width), nn.GELU(), dense(width))

    def forward(self, x, cache, mask):
        """Return what goes into the next block, and the longer cache of keys and values."""
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(3, axis=2)
        q, k, v = (y.reshape((n, length, self.heads, -1)).transpose((0, 2, 1, 3)) for y in (q, k, v))
        q, k, v = (y.reshape((n * self.heads, length, -1)) for y in (q, k, v))
        if cache is not None:
            k, v = (mx.nd.concat(*both, dim=1) for both in zip(cache, (k, v), strict=True))
        scores = mx.nd.batch_dot(q / sqrt(width / self.heads), k, transpose_b=True)
        if mask is not None:
            scores = mx.nd.broadcast_add(scores, mask)
        y = mx.nd.batch_dot(mx.nd.softmax(scores), v)
        y = y.reshape((n, self.heads, length, -1)).transpose((0, 2, 1, 3)).reshape((n, length, width))
        x = x + self.projection(y)
        return x + self.mlp(self.norm2(x)), (k, v)


class GPT(gluon.Block):
    """Character ids (n, length) to logits of the next character (n, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        for block in self.blocks:
            self.register_child(block)
        self.norm = nn.LayerNorm(epsilon=1e-5, center=False)
        self.output = nn.Dense(65, use_bias=False, flatten=False, in_units=384, params=self.token.params)

    def forward(self, ids, caches, begin, mask=None):
        """Return the logits and the longer caches."""
        x = mx.nd.broadcast_add(self.token(ids), self.position(mx.nd.arange(begin, begin + ids.shape[1])))
        longer = []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block(x, cache, mask)
            longer.append(cache)
        return self.output(self.norm(x[:, -1])), longer

    def generate(self, ids, count):
        """Return `count` new characters."""
        _, length = ids.shape
        mask = mx.nd.array(np.triu(np.full((1, length, length), -1e9), 1))  # what a character does not see
        logits, caches = self(ids, [None] * 6, 0, mask)
        new = [logits.argmax(1)]
        for place in range(length, length + count - 1):
            logits, caches = self(new[-1].expand_dims(1), caches, place)
            new.append(logits.argmax(1))
        return mx.nd.stack(*new, axis=1)


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
model = GPT()
model.initialize(mx.init.Xavier())
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        found.append(model.generate(mx.nd.array(inputs[ids[0] : ids[0] + len(ids)]), 128).asnumpy())
    texts = np.concatenate(found)
    print(perf_counter() - start, texts.mean(), flush=True)
    done += steps
