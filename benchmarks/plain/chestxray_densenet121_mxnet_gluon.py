"""chestxray-densenet121 in MXNet Gluon as one would write it without a laboratory: one file, one loop.

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
    return nn.BatchNorm(momentum=0.9, epsilon=1e-5)


class Layer(gluon.Block):
    """What comes in, and beside it 32 maps more."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential()
        self.body.add(
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(128, kernel_size=1, use_bias=False),
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(32, kernel_size=3, padding=1, use_bias=False),
        )

    def forward(self, x):
        """Return what goes into the next layer."""
        return mx.nd.concat(x, self.body(x), dim=1)


class Transition(gluon.Block):
    """Half as many maps, of half the height and width."""

    def __init__(self, inputs):
        super().__init__()
        self.body = nn.Sequential()
        self.body.add(
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(inputs // 2, kernel_size=1, use_bias=False),
            nn.AvgPool2D(2),
        )

    def forward(self, x):
        """Return what goes into the next layer."""
        return self.body(x)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = nn.Sequential()
model.add(nn.Conv2D(64, kernel_size=7, strides=2, padding=3, use_bias=False), norm(), nn.Activation("relu"))
model.add(nn.MaxPool2D(3, strides=2, padding=1))
channels = 64
for depth in (6, 12, 24, 16):
    if channels > 64:
        model.add(Transition(channels))
        channels //= 2
    for _ in range(depth):
        model.add(Layer())
        channels += 32
model.add(norm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(14))
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SigmoidBinaryCrossEntropyLoss()
adam = {"learning_rate": 1e-4, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
trainer = gluon.Trainer(model.collect_params(), "adam", adam)
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
