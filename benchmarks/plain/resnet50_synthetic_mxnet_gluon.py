"""resnet50-synthetic in MXNet Gluon as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn


def norm():
    """Return a batch normalisation."""
    return nn.BatchNorm(momentum=0.99, epsilon=1e-3)


class Block(gluon.Block):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.body = nn.Sequential()
        self.body.add(
            nn.Conv2D(channels, kernel_size=1, strides=stride),
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(channels, kernel_size=3, padding=1),
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(4 * channels, kernel_size=1),
            norm(),
        )
        self.shortcut = nn.Sequential()  # of nothing: what comes in
        if inputs != 4 * channels:
            self.shortcut.add(nn.Conv2D(4 * channels, kernel_size=1, strides=stride), norm())

    def forward(self, x):
        """Return what goes into the next block."""
        return mx.nd.relu(self.shortcut(x) + self.body(x))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = nn.Sequential()
model.add(nn.Conv2D(64, kernel_size=7, strides=2, padding=3), norm(), nn.Activation("relu"))
model.add(nn.MaxPool2D(3, strides=2, padding=1))
width = 64
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        model.add(Block(width, channels, 2 if number == 0 and channels > 64 else 1))
        width = 4 * channels
model.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(1000))
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
rmsprop = {"learning_rate": 1e-4, "gamma1": 0.9, "epsilon": 1e-7}
trainer = gluon.Trainer(model.collect_params(), "rmsprop", rmsprop)
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
