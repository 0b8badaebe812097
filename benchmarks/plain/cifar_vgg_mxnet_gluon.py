"""cifar-vgg in MXNet Gluon as one would write it without a laboratory: one file, one loop.

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

inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = nn.Sequential()
model.add(
    nn.Conv2D(50, kernel_size=3, padding=1, activation="relu"),
    nn.Conv2D(50, kernel_size=3, padding=1),
    nn.MaxPool2D(2),
    nn.Activation("relu"),
    nn.Dropout(0.25),
    nn.Conv2D(100, kernel_size=3, padding=1, activation="relu"),
    nn.Conv2D(100, kernel_size=3, padding=1),
    nn.MaxPool2D(2),
    nn.Activation("relu"),
    nn.Dropout(0.25),
    nn.Flatten(),
    nn.Dense(512, activation="relu"),
    nn.Dropout(0.5),
    nn.Dense(10),
)
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
sgd = {"learning_rate": 0.01, "momentum": 0.9}
trainer = gluon.Trainer(model.collect_params(), "sgd", sgd)
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
