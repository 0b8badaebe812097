"""imdb-gru:reset-before in CNTK."""

import cntk as C
from cntk.layers import GRU, Dense, Recurrence

from rosetta_worker.optimizers.cntk import adam
from rosetta_worker.tensors import TRANSPOSE, Tie, gates, split


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    inputs = C.sequence.input_variable(())

    def __init__(self):
        self.embedding = C.parameter((30000, 125))
        self.gru = GRU(100)
        self.output = Dense(2)

    def __call__(self, tokens):
        x = C.gather(self.embedding, tokens)  # the layer Embedding has a sparse gradient, which CNTK's Adam rejects
        x = Recurrence(self.gru)(x)
        return self.output(C.sequence.last(x))


def loss(logits, labels):
    return C.cross_entropy_with_softmax(logits, C.one_hot(labels, 2))  # per sample: the trainer takes the mean


def optimizer(model, hyper):
    return adam(model.parameters, hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, hyper.minibatch_size)


GATES = gates("r z n", "z r n")  # CNTK: update, reset, new

TENSORS = [
    Tie("embedding", "embedding"),
    Tie("gru.kernel", "gru.W", GATES, TRANSPOSE),
    Tie("gru.recurrent_kernel", "gru.H gru.H1", GATES, split([200]), TRANSPOSE),
    Tie("gru.bias", "gru.b", GATES),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
