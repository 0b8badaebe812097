"""fashion-mlp in MXNet's Module as one would write it without a laboratory: one file, one loop.

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

inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
size = (batches.shape[1],)
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
images = mx.sym.Variable("inputs")
x = mx.sym.FullyConnected(images, num_hidden=128)
x = mx.sym.Activation(x, act_type="relu")
x = mx.sym.FullyConnected(x, num_hidden=10)
probabilities = mx.sym.SoftmaxOutput(x, mx.sym.Variable("labels"))
module = mx.mod.Module(probabilities, ["inputs"], ["labels"])
module.bind([("inputs", size + inputs.shape[1:])], [("labels", size)])
module.init_params(mx.init.Xavier())
adam = {"learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
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
