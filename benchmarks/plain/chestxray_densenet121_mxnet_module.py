"""chestxray-densenet121 in MXNet's Module as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument. LogisticRegressionOutput gives probabilities and begins
the gradient; the loss is read off them on the device, since a metric of MXNet's would fetch them in every step.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet.io import DataBatch


def convolution(x, channels, size, stride=1):
    """Return a convolution without a bias."""
    pad, stride = (size // 2, size // 2), (stride, stride)
    return mx.sym.Convolution(x, num_filter=channels, kernel=(size, size), stride=stride, pad=pad, no_bias=True)


def norm(x):
    """Return a batch normalisation."""
    return mx.sym.BatchNorm(x, momentum=0.9, eps=1e-5, fix_gamma=False)


def layer(x):
    """What comes in, and beside it 32 maps more."""
    y = convolution(mx.sym.Activation(norm(x), act_type="relu"), 128, 1)
    return mx.sym.concat(x, convolution(mx.sym.Activation(norm(y), act_type="relu"), 32, 3), dim=1)


def transition(x, channels):
    """Half as many maps, of half the height and width."""
    x = convolution(mx.sym.Activation(norm(x), act_type="relu"), channels, 1)
    return mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg")


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
size = (batches.shape[1],)
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
x = mx.sym.Activation(norm(convolution(mx.sym.Variable("inputs"), 64, 7, 2)), act_type="relu")
x = mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
channels = 64
for depth in (6, 12, 24, 16):
    if channels > 64:
        channels //= 2
        x = transition(x, channels)
    for _ in range(depth):
        x = layer(x)
        channels += 32
x = mx.sym.mean(mx.sym.Activation(norm(x), act_type="relu"), axis=(2, 3))
x = mx.sym.FullyConnected(x, num_hidden=14)
probabilities = mx.sym.LogisticRegressionOutput(x, mx.sym.Variable("labels"))
module = mx.mod.Module(probabilities, ["inputs"], ["labels"])
module.bind([("inputs", size + inputs.shape[1:])], [("labels", size + labels.shape[1:])])
module.init_params(mx.init.Xavier())
adam = {"learning_rate": 1e-4, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
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
        found, flags = module.get_outputs()[0], batch.label[0]
        total -= mx.nd.where(flags, found.log(), (1 - found).log()).mean()
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
