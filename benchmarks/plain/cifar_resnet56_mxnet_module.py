"""cifar-resnet56 in MXNet's Module as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument. SoftmaxOutput gives probabilities and begins the
gradient; the loss is read off them on the device, since a metric of MXNet's would fetch them in every step.
The penalty is the optimiser's weight decay of twice its factor, and no part of the loss that is printed.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet.io import DataBatch


def convolution(x, channels, stride=1):
    """Return a convolution."""
    pad = (1, 1) if stride == 1 else (0, 0)
    return mx.sym.Convolution(x, num_filter=channels, kernel=(3, 3), stride=(stride, stride), pad=pad)


def norm(x, name):
    """Return a batch normalisation; the decay of weights would take its scale along."""
    scale = mx.sym.Variable(name + "_gamma", wd_mult=0)
    return mx.sym.BatchNorm(x, gamma=scale, momentum=0.99, eps=1e-3, fix_gamma=False, name=name)


def block(x, channels, stride, name):
    """Two convolutions beside a shortcut, which is a convolution itself where the image gets smaller."""
    behind = (0, 0, 0, 0, 0, 1, 0, 1)  # zeros behind, none in front
    y = x if stride == 1 else mx.sym.pad(x, mode="constant", pad_width=behind)
    y = mx.sym.Activation(norm(convolution(y, channels, stride), name + "_norm1"), act_type="relu")
    y = norm(convolution(y, channels), name + "_norm2")
    if stride == 2:
        x = mx.sym.Convolution(x, num_filter=channels, kernel=(1, 1), stride=(2, 2))
    return mx.sym.Activation(x + y, act_type="relu")


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
size = (batches.shape[1],)
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
x = mx.sym.Activation(norm(convolution(mx.sym.Variable("inputs"), 16), "norm"), act_type="relu")
for channels in (16, 32, 64):
    for number in range(9):
        x = block(x, channels, 2 if number == 0 and channels > 16 else 1, f"block{channels}_{number}")
x = mx.sym.FullyConnected(mx.sym.mean(x, axis=(2, 3)), num_hidden=10)
probabilities = mx.sym.SoftmaxOutput(x, mx.sym.Variable("labels"))
module = mx.mod.Module(probabilities, ["inputs"], ["labels"])
module.bind([("inputs", size + inputs.shape[1:])], [("labels", size)])
module.init_params(mx.init.Xavier())
adam = {"learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7, "wd": 2e-4}
module.init_optimizer(optimizer="adam", optimizer_params=adam)
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
