"""imdb-gru in CNTK."""

import cntk as C
from cntk.layers import BlockFunction, Dense, Recurrence

from rosetta_worker.optimizers.cntk import adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    inputs = C.sequence.input_variable(())

    def __init__(self):
        self.embedding = C.parameter((30000, 125))
        self.gru = gru(125, 100)
        self.output = Dense(2)

    def __call__(self, tokens):
        x = C.gather(self.embedding, tokens)  # the layer Embedding has a sparse gradient, which CNTK's Adam rejects
        x = Recurrence(self.gru)(x)
        return self.output(C.sequence.last(x))


def gru(inputs, units):
    """Return a step that resets after the product; CNTK's own GRU resets before it."""
    kernel, recurrent = C.parameter((inputs, 3 * units), name="W"), C.parameter((units, 3 * units), name="R")
    bias, second = C.parameter(3 * units, name="b"), C.parameter(3 * units, name="c")

    @BlockFunction("GRU", "gru")
    def step(h, x):
        now, past = bias + C.times(x, kernel), second + C.times(h, recurrent)
        reset = C.sigmoid(now[:units] + past[:units])
        update = C.sigmoid(now[units : 2 * units] + past[units : 2 * units])
        new = C.tanh(now[2 * units :] + reset * past[2 * units :])
        return (1 - update) * new + update * h

    return step


def loss(logits, labels):
    return C.cross_entropy_with_softmax(logits, C.one_hot(labels, 2))  # per sample: the trainer takes the mean


def optimizer(model, hyper):
    return adam(model.parameters, hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, hyper.minibatch_size)


TENSORS = [
    Tie("embedding", "embedding"),
    Tie("gru.kernel", "gru.W", TRANSPOSE),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.R", TRANSPOSE),
    Tie("gru.bias", "gru.b"),
    Tie("gru.recurrent_bias", "gru.c"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
