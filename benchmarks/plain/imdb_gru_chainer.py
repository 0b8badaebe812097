"""imdb-gru in Chainer as one would write it without a laboratory: one file, one loop.

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
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embedding = L.EmbedID(30000, 125)
            self.gru = L.NStepGRU(1, 125, 100, dropout=0)
            self.output = L.Linear(100, 2)

    def forward(self, tokens):
        """Return the logits, from the state after the last token."""
        last, _ = self.gru(None, F.separate(self.embedding(tokens)))
        return self.output(last[0])


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
