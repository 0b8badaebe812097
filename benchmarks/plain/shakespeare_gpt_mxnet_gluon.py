"""shakespeare-gpt in MXNet Gluon as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument.
MXNet 1.9 has AdamW's update, but no optimiser that calls it: that is written out here.
"""

import sys
from math import sqrt
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn


class AdamW(mx.optimizer.Optimizer):
    """Adam with decoupled weight decay, of the update that MXNet has for it."""

    def create_state(self, index, weight):
        """Return the two moments of a weight's gradient, zeros."""
        return mx.nd.zeros_like(weight), mx.nd.zeros_like(weight)

    def update(self, index, weight, grad, state):
        """Take a step of one weight."""
        self._update_count(index)
        count, rate = self._index_update_count[index], self._get_lr(index)
        corrected = rate * sqrt(1 - 0.99**count) / (1 - 0.9**count)
        decay = rate * self._get_wd(index)
        scale = mx.nd.array([self.rescale_grad])
        adam = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8}
        mx.nd.contrib.adamw_update(weight, grad, *state, scale, lr=corrected, eta=1.0, wd=decay, out=weight, **adam)


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

    def forward(self, x, mask):
        """Return what goes into the next block."""
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(3, axis=2)
        q, k, v = (y.reshape((n, length, self.heads, -1)).transpose((0, 2, 1, 3)) for y in (q, k, v))
        q, k, v = (y.reshape((n * self.heads, length, -1)) for y in (q, k, v))
        scores = mx.nd.batch_dot(q / sqrt(width / self.heads), k, transpose_b=True)
        y = mx.nd.batch_dot(mx.nd.softmax(mx.nd.broadcast_add(scores, mask)), v)
        y = y.reshape((n, self.heads, length, -1)).transpose((0, 2, 1, 3)).reshape((n, length, width))
        x = x + self.projection(y)
        return x + self.mlp(self.norm2(x))


class GPT(gluon.Block):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 128)
        self.position = nn.Embedding(64, 128)
        self.blocks = [Block(128, 4) for _ in range(4)]
        for block in self.blocks:
            self.register_child(block)
        self.norm = nn.LayerNorm(epsilon=1e-5, center=False)
        self.output = nn.Dense(65, use_bias=False, flatten=False, in_units=128, params=self.token.params)
        self.mask = mx.nd.array(np.triu(np.full((1, 64, 64), -1e9), 1))  # what a character does not see

    def forward(self, ids):
        """Return the logits."""
        x = mx.nd.broadcast_add(self.token(ids), self.position(mx.nd.arange(64)))
        for block in self.blocks:
            x = block(x, self.mask)
        return self.output(self.norm(x))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = GPT()
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
for scale in model.collect_params(".*gamma").values():
    scale.wd_mult = 0.0
trainer = gluon.Trainer(model.collect_params(), AdamW(learning_rate=1e-3, wd=0.1))
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = mx.nd.zeros(1)
    for ids in batches[done : done + steps]:
        index = mx.nd.array(ids, dtype="int32")
        with autograd.record():
            loss = cross_entropy(model(inputs.take(index)), labels.take(index)).mean()
        loss.backward()
        gradients = [tensor.grad() for tensor in model.collect_params().values() if tensor.grad_req != "null"]
        gluon.utils.clip_global_norm(gradients, 1.0, check_isfinite=False)
        trainer.step(1)
        total += loss
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
