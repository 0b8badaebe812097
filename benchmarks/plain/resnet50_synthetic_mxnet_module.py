"""resnet50-synthetic in MXNet's Module as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument. SoftmaxOutput gives probabilities and begins the
gradient; the loss is read off them on the device, since a metric of MXNet's would fetch them in every step.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet.io import DataBatch


def convolution(x, channels, size, stride=1):
    """Return a convolution."""
    pad, stride = (size // 2, size // 2), (stride, stride)
    return mx.sym.Convolution(x, num_filter=channels, kernel=(size, size), stride=stride, pad=pad)


def norm(x):
    """Return a batch normalisation."""
    return mx.sym.BatchNorm(x, momentum=0.99, eps=1e-3, fix_gamma=False)


def block(x, channels, stride, first):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""
    y = mx.sym.Activation(norm(convolution(x, channels, 1, stride)), act_type="relu")
    y = mx.sym.Activation(norm(convolution(y, channels, 3)), act_type="relu")
    y = norm(convolution(y, 4 * channels, 1))
    if first:
        x = norm(convolution(x, 4 * channels, 1, stride))
    return mx.sym.Activation(x + y, act_type="relu")


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
size = (batches.shape[1],)
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
x = mx.sym.Activation(norm(convolution(mx.sym.Variable("inputs"), 64, 7, 2)), act_type="relu")
x = mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        x = block(x, channels, 2 if number == 0 and channels > 64 else 1, number == 0)
x = mx.sym.FullyConnected(mx.sym.mean(x, axis=(2, 3)), num_hidden=1000)
probabilities = mx.sym.SoftmaxOutput(x, mx.sym.Variable("labels"))
module = mx.mod.Module(probabilities, ["inputs"], ["labels"])
module.bind([("inputs", size + inputs.shape[1:])], [("labels", size)])
module.init_params(mx.init.Xavier())
rmsprop = {"learning_rate": 1e-4, "gamma1": 0.9, "epsilon": 1e-7}
module.init_optimizer(optimizer="rmsprop", optimizer_params=rmsprop)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = mx.nd.zeros(1)
    for ids in batches[done : done + steps]:
        index = mx.nd.array(ids, dtype="int32")
        batch = DataBatch([inputs.take(index)], [labels.take(index)])
        module.forward_backward(batch)
        module.update()
        total -= module.get_outputs()[0].pick(batch.label[0]).log().mean()
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
