"""imdb-lstm in MXNet Gluon as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn, rnn


class Classifier(gluon.Block):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5000, 32)
        self.lstm = rnn.LSTM(100, layout="NTC")
        self.lstm.l0_h2h_bias.grad_req = "null"  # stays zero: the model has one bias
        self.output = nn.Dense(2)

    def forward(self, tokens):
        """Return the logits, from the state after the last token."""
        states = self.lstm(self.embedding(tokens))
        return self.output(states[:, -1])


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs, labels = mx.nd.array(inputs, dtype=inputs.dtype), mx.nd.array(labels, dtype="float32")
model = Classifier()
model.initialize(mx.init.Xavier())
cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
adam = {"learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
trainer = gluon.Trainer(model.collect_params(), "adam", adam)
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
