"""cifar-vgg in tinygrad."""

from tinygrad import nn
from tinygrad.nn.optim import SGD
from tinygrad.nn.state import get_parameters

from rosetta_worker.tensors import Tie


class Model:
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        self.conv1 = nn.Conv2d(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(50, 50, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2d(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(100, 100, kernel_size=3, padding=1)
        self.hidden = nn.Linear(6400, 512)
        self.output = nn.Linear(512, 10)

    def __call__(self, images):
        x = self.conv1(images).relu()
        x = self.conv2(x).max_pool2d(2).relu()
        x = x.dropout(0.25)
        x = self.conv3(x).relu()
        x = self.conv4(x).max_pool2d(2).relu()
        x = x.dropout(0.25)
        x = x.flatten(1)
        x = self.hidden(x).relu()
        x = x.dropout(0.5)
        return self.output(x)


def loss(logits, labels):
    return logits.sparse_categorical_crossentropy(labels)


def optimizer(model, hyper):
    return SGD(get_parameters(model), hyper.learning_rate, hyper.momentum)


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.weight"),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.weight"),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.weight"),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
