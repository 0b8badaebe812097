"""imagenet-resnet56 in MXNet Gluon as one would write it without a laboratory: one file, one loop.

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
    """Two convolutions beside a shortcut, which is a convolution itself where the image gets smaller."""

    def __init__(self, channels, stride):
        super().__init__()
        self.stride = stride
        self.body = nn.Sequential()
        self.body.add(
            nn.Conv2D(channels, kernel_size=3, strides=stride, padding=int(stride == 1)),
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(channels, kernel_size=3, padding=1),
            norm(),
        )
        if stride == 2:
            self.shortcut = nn.Conv2D(channels, kernel_size=1, strides=2)

    def forward(self, x):
        """Return what goes into the next block."""
        if self.stride == 1:
            return mx.nd.relu(x + self.body(x))
        behind = mx.nd.pad(x, "constant", (0, 0, 0, 0, 0, 1, 0, 1))  # zeros behind, none in front
        return mx.nd.relu(self.shortcut(x) + self.body(behind))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.divide(inputs, 255, dtype="float32")  # from 0 to 1
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = nn.Sequential()
model.add(nn.Conv2D(16, kernel_size=3, padding=1), norm(), nn.Activation("relu"))
for channels in (16, 32, 64):
    for number in range(9):
        model.add(Block(channels, 2 if number == 0 and channels > 16 else 1))
model.add(nn.AvgPool2D(8), nn.Flatten(), nn.Dense(1000))
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
adam = {"learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
trainer = gluon.Trainer(model.collect_params(), "adam", adam)
kernels = [tensor for name, tensor in model.collect_params().items() if name.endswith("weight")]
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = mx.nd.zeros(1)
    for ids in batches[done : done + steps]:
        index = mx.nd.array(ids, dtype="int32")
        with autograd.record():
            loss = cross_entropy(model(inputs.take(index)), labels.take(index))
            loss = loss + 1e-4 * mx.nd.add_n(*[kernel.data().square().sum() for kernel in kernels])
        loss.backward()
        trainer.step(len(ids))
        total += loss.mean()
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
