"""fashion-cnn in tinygrad."""

from tinygrad import nn
from tinygrad.nn.optim import Adam
from tinygrad.nn.state import get_parameters

from rosetta_worker.tensors import Tie


class Model:
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        self.conv1 = nn.Conv2d(1, 64, kernel_size=3)
        self.conv2 = nn.Conv2d(64, 32, kernel_size=3)
        self.output = nn.Linear(18432, 10)

    def __call__(self, images):
        x = self.conv1(images).relu()
        x = self.conv2(x).relu()
        x = x.flatten(1)
        return self.output(x)


def loss(logits, labels):
    return logits.sparse_categorical_crossentropy(labels)


def optimizer(model, hyper):
    return Adam(get_parameters(model), hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
