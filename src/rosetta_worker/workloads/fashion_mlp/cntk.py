"""fashion-mlp in CNTK."""

import cntk as C
from cntk.layers import Dense

from rosetta_worker.optimizers.cntk import adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Images (n, 784) to logits (n, 10)."""

    inputs = C.input_variable(784)

    def __init__(self):
        self.hidden = Dense(128, activation=C.relu)
        self.output = Dense(10)

    def __call__(self, images):
        x = self.hidden(images)
        return self.output(x)


def loss(logits, labels):
    return C.cross_entropy_with_softmax(logits, C.one_hot(labels, 10))  # per sample: the trainer takes the mean


def optimizer(model, hyper):
    return adam(model.parameters, hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, hyper.minibatch_size)


TENSORS = [
    Tie("hidden.kernel", "hidden.W", TRANSPOSE),
    Tie("hidden.bias", "hidden.b"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
