"""resnet50-features in MXNet's Module as one would write it without a laboratory: one file, one loop.

Nothing is trained: images of the host, an array of NumPy's, become features of the host. For the comparison it takes
turns: it reads a number of batches from standard input, infers them, and prints the seconds and, in place of a loss,
the mean of the features. Arguments: the .npy files of inputs, labels (which it leaves alone) and batches (consecutive
sample ids, one row a batch), and the number of threads. The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet.io import DataBatch


def convolution(x, channels, size, stride=1):
    """Return a convolution."""
    pad, stride = (size // 2, size // 2), (stride, stride)
    return mx.sym.Convolution(x, num_filter=channels, kernel=(size, size), stride=stride, pad=pad, no_bias=True)


def norm(x):
    """Return a batch normalisation."""
    return mx.sym.BatchNorm(x, momentum=0.9, eps=1e-5, fix_gamma=False)


def block(x, channels, stride, first):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""
    y = mx.sym.Activation(norm(convolution(x, channels, 1)), act_type="relu")
    y = mx.sym.Activation(norm(convolution(y, channels, 3, stride)), act_type="relu")
    y = norm(convolution(y, 4 * channels, 1))
    if first:
        x = norm(convolution(x, 4 * channels, 1, stride))
    return mx.sym.Activation(x + y, act_type="relu")


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
size = (batches.shape[1],)
x = mx.sym.Activation(norm(convolution(mx.sym.Variable("inputs"), 64, 7, 2)), act_type="relu")
x = mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        x = block(x, channels, 2 if number == 0 and channels > 64 else 1, number == 0)
module = mx.mod.Module(mx.sym.mean(x, axis=(2, 3)), ["inputs"], None)
module.bind([("inputs", size + inputs.shape[1:])], for_training=False)
module.init_params(mx.init.Xavier())
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        images = inputs[ids[0] : ids[0] + len(ids)]
        module.forward(DataBatch([mx.nd.array(images)]), is_train=False)
        found.append(module.get_outputs()[0].asnumpy())
    features = np.concatenate(found)
    print(perf_counter() - start, features.mean(), flush=True)
    done += steps
