"""fashion-mlp in tinygrad."""

from tinygrad import nn
from tinygrad.nn.optim import Adam
from tinygrad.nn.state import get_parameters

from rosetta_worker.tensors import Tie


class Model:
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        self.hidden = nn.Linear(784, 128)
        self.output = nn.Linear(128, 10)

    def __call__(self, images):
        x = self.hidden(images).relu()
        return self.output(x)


def loss(logits, labels):
    return logits.sparse_categorical_crossentropy(labels)


def optimizer(model, hyper):
    return Adam(get_parameters(model), hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden.weight"),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
