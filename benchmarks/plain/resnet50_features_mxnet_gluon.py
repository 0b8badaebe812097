"""resnet50-features in MXNet Gluon as one would write it without a laboratory: one file, one loop.

Nothing is trained: images of the host, an array of NumPy's, become features of the host. For the comparison it takes
turns: it reads a number of batches from standard input, infers them, and prints the seconds and, in place of a loss,
the mean of the features. Arguments: the .npy files of inputs, labels (which it leaves alone) and batches (consecutive
sample ids, one row a batch), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet import gluon
from mxnet.gluon import nn


def norm():
    """Return a batch normalisation."""
    return nn.BatchNorm(epsilon=1e-5)


class Block(gluon.Block):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.body = nn.Sequential()
        self.body.add(
            nn.Conv2D(channels, kernel_size=1, use_bias=False),
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(channels, kernel_size=3, strides=stride, padding=1, use_bias=False),
            norm(),
            nn.Activation("relu"),
            nn.Conv2D(4 * channels, kernel_size=1, use_bias=False),
            norm(),
        )
        self.shortcut = nn.Sequential()  # of nothing: what comes in
        if inputs != 4 * channels:
            self.shortcut.add(nn.Conv2D(4 * channels, kernel_size=1, strides=stride, use_bias=False), norm())

    def forward(self, x):
        """Return what goes into the next block."""
        return mx.nd.relu(self.shortcut(x) + self.body(x))


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
model = nn.Sequential()
model.add(nn.Conv2D(64, kernel_size=7, strides=2, padding=3, use_bias=False), norm(), nn.Activation("relu"))
model.add(nn.MaxPool2D(3, strides=2, padding=1))
width = 64
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        model.add(Block(width, channels, 2 if number == 0 and channels > 64 else 1))
        width = 4 * channels
model.add(nn.GlobalAvgPool2D(), nn.Flatten())
model.initialize(mx.init.Xavier())
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        images = inputs[ids[0] : ids[0] + len(ids)]
        found.append(model(mx.nd.array(images)).asnumpy())
    features = np.concatenate(found)
    print(perf_counter() - start, features.mean(), flush=True)
    done += steps
