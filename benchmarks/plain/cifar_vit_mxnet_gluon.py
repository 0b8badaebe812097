"""cifar-vit in MXNet Gluon as one would write it without a laboratory: one file, one loop.

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
        corrected = rate * sqrt(1 - 0.999**count) / (1 - 0.9**count)
        decay = rate * self._get_wd(index)
        scale = mx.nd.array([self.rescale_grad])
        adam = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
        mx.nd.contrib.adamw_update(weight, grad, *state, scale, lr=corrected, eta=1.0, wd=decay, out=weight, **adam)


def dense(width):
    """Return a dense layer over the last axis."""
    return nn.Dense(width, flatten=False)


class Block(gluon.Block):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(epsilon=1e-6)
        self.qkv = dense(3 * width)
        self.projection = dense(width)
        self.norm2 = nn.LayerNorm(epsilon=1e-6)
        self.mlp = nn.Sequential()
        self.mlp.add(dense(4 * width), nn.GELU(), dense(width))

    def forward(self, x):
        """Return what goes into the next block."""
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(3, axis=2)
        q, k, v = (y.reshape((n, length, self.heads, -1)).transpose((0, 2, 1, 3)) for y in (q, k, v))
        q, k, v = (y.reshape((n * self.heads, length, -1)) for y in (q, k, v))
        scores = mx.nd.batch_dot(q / sqrt(width / self.heads), k, transpose_b=True)
        y = mx.nd.batch_dot(mx.nd.softmax(scores), v)
        y = y.reshape((n, self.heads, length, -1)).transpose((0, 2, 1, 3)).reshape((n, length, width))
        x = x + self.projection(y)
        return x + self.mlp(self.norm2(x))


class ViT(gluon.Block):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2D(192, kernel_size=4, strides=4)
        self.position = self.params.get("position", shape=(1, 64, 192), init=mx.init.Normal(0.02), wd_mult=0.0)
        self.blocks = nn.Sequential()
        self.blocks.add(*[Block(192, 3) for _ in range(6)])
        self.norm = nn.LayerNorm(epsilon=1e-6)
        self.classify = nn.Dense(10)

    def forward(self, images):
        """Return the logits."""
        tokens = self.patch(images).reshape((0, 0, -1)).transpose((0, 2, 1))
        x = self.norm(self.blocks(mx.nd.broadcast_add(tokens, self.position.data())))
        return self.classify(x.mean(1))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = ViT()
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
for tensor in model.collect_params(".*(bias|gamma|beta)").values():
    tensor.wd_mult = 0.0
trainer = gluon.Trainer(model.collect_params(), AdamW(learning_rate=1e-3, wd=0.05))
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = mx.nd.zeros(1)
    for ids in batches[done : done + steps]:
        index = mx.nd.array(ids, dtype="int32")
        with autograd.record():
            loss = cross_entropy(model(inputs.take(index)), labels.take(index))
        loss.backward()
        trainer.step(len(ids))
        total += loss.mean()
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
