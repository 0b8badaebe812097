"""fashion-mlp in MXNet Gluon, as fast as we can write it: one graph with planned memory, and no threads of the engine.

It takes turns as benchmarks/plain/fashion_mlp_mxnet_gluon.py does, with the same arguments.
"""

import os
import sys
from time import perf_counter

os.environ["MXNET_ENGINE_TYPE"] = "NaiveEngine"

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn


class MeanLoss(nn.HybridBlock):
    """The network, and the cross-entropy of each sample."""

    def __init__(self):
        super().__init__()
        self.model = nn.HybridSequential()
        self.model.add(nn.Dense(128, activation="relu", in_units=784), nn.Dense(10, in_units=128))
        self.cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()

    def hybrid_forward(self, F, images, labels):
        """Return the loss of each sample."""
        return self.cross_entropy(self.model(images), labels)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
losses = MeanLoss()
losses.initialize(mx.init.Xavier())
losses.hybridize(static_alloc=True, static_shape=True)
adam = {"learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
trainer = gluon.Trainer(losses.collect_params(), "adam", adam, kvstore=None)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = mx.nd.zeros(1)
    for ids in batches[done : done + steps]:
        index = mx.nd.array(ids, dtype="int32")
        with autograd.record():
            loss = losses(inputs.take(index), labels.take(index))
        loss.backward()
        trainer.step(len(ids))
        total += loss.mean()
    mx.nd.waitall()
    print(perf_counter() - start, total.asscalar() / steps, flush=True)
    done += steps
