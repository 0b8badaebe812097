"""fashion-cnn in CNTK."""

import cntk as C
from cntk.layers import Convolution2D, Dense

from rosetta_worker.optimizers.cntk import adam
from rosetta_worker.tensors import TRANSPOSE, Tie, permute, stack


class Model(object):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    inputs = C.input_variable((1, 28, 28))

    def __init__(self):
        self.conv1 = Convolution2D((3, 3), 64, activation=C.relu)
        self.conv2 = Convolution2D((3, 3), 32, activation=C.relu)
        self.output = Dense(10)

    def __call__(self, images):
        x = self.conv1(images)
        x = self.conv2(x)
        return self.output(C.reshape(x, -1))


def loss(logits, labels):
    return C.cross_entropy_with_softmax(logits, C.one_hot(labels, 10))  # per sample: the trainer takes the mean


def optimizer(model, hyper):
    return adam(model.parameters, hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, hyper.minibatch_size)


OVER_IMAGE = stack(), stack(), permute(2, 0, 1)  # a bias is (channels, 1, 1)

TENSORS = [
    Tie("conv1.kernel", "conv1.W"),
    Tie("conv1.bias", "conv1.b", *OVER_IMAGE),
    Tie("conv2.kernel", "conv2.W"),
    Tie("conv2.bias", "conv2.b", *OVER_IMAGE),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
