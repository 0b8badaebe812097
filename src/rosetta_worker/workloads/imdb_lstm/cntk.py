"""imdb-lstm in CNTK."""

import cntk as C
from cntk.layers import LSTM, Dense, Recurrence

from rosetta_worker.optimizers.cntk import adam
from rosetta_worker.tensors import TRANSPOSE, Tie, gates


class Model(object):
    """Token ids (n, 500) to logits (n, 2)."""

    inputs = C.sequence.input_variable(())

    def __init__(self):
        self.embedding = C.parameter((5000, 32))
        self.lstm = LSTM(100)
        self.output = Dense(2)

    def __call__(self, tokens):
        x = C.gather(self.embedding, tokens)  # the layer Embedding has a sparse gradient, which CNTK's Adam rejects
        x = Recurrence(self.lstm)(x)
        return self.output(C.sequence.last(x))


def loss(logits, labels):
    return C.cross_entropy_with_softmax(logits, C.one_hot(labels, 2))  # per sample: the trainer takes the mean


def optimizer(model, hyper):
    return adam(model.parameters, hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, hyper.minibatch_size)


GATES = gates("i f c o", "i c f o")  # CNTK: input, cell, forget, output

TENSORS = [
    Tie("embedding", "embedding"),
    Tie("lstm.kernel", "lstm.W", GATES, TRANSPOSE),
    Tie("lstm.recurrent_kernel", "lstm.H", GATES, TRANSPOSE),
    Tie("lstm.bias", "lstm.b", GATES),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
