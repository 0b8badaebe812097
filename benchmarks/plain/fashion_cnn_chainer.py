"""fashion-cnn in Chainer as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument. It runs on Python 3.6.
"""

import sys
from time import perf_counter

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L


class Classifier(chainer.Chain):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 64, ksize=3)
            self.conv2 = L.Convolution2D(64, 32, ksize=3)
            self.output = L.Linear(18432, 10)

    def forward(self, images):
        """Return the logits."""
        x = F.relu(self.conv1(images))
        x = F.relu(self.conv2(x))
        return self.output(x)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
labels = labels.astype("int32")
model = Classifier()
optimizer = chainer.optimizers.Adam(alpha=1e-3, beta1=0.9, beta2=0.999, eps=1e-8)
optimizer.setup(model)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = 0.0
    for ids in batches[done : done + steps]:
        loss = F.softmax_cross_entropy(model(inputs[ids]), labels[ids])
        model.cleargrads()
        loss.backward()
        optimizer.update()
        total += loss.array
    print(perf_counter() - start, total / steps, flush=True)
    done += steps
