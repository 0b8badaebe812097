"""cifar-vgg in CNTK."""

import cntk as C
from cntk.layers import Convolution2D, Dense, Dropout, MaxPooling

from rosetta_worker.tensors import TRANSPOSE, Tie, permute, stack


class Model(object):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    inputs = C.input_variable((3, 32, 32))

    def __init__(self):
        self.conv1 = Convolution2D((3, 3), 50, pad=True, activation=C.relu)
        self.conv2 = Convolution2D((3, 3), 50, pad=True)
        self.conv3 = Convolution2D((3, 3), 100, pad=True, activation=C.relu)
        self.conv4 = Convolution2D((3, 3), 100, pad=True)
        self.hidden = Dense(512, activation=C.relu)
        self.output = Dense(10)

    def __call__(self, images):
        x = self.conv1(images)
        x = C.relu(MaxPooling((2, 2), strides=2)(self.conv2(x)))
        x = Dropout(0.25)(x)
        x = self.conv3(x)
        x = C.relu(MaxPooling((2, 2), strides=2)(self.conv4(x)))
        x = Dropout(0.25)(x)
        x = self.hidden(C.reshape(x, -1))
        x = Dropout(0.5)(x)
        return self.output(x)


def loss(logits, labels):
    return C.cross_entropy_with_softmax(logits, C.one_hot(labels, 10))  # per sample: the trainer takes the mean


def optimizer(model, hyper):
    # By default, a gradient is multiplied by 1 - momentum ("unit gain").
    return C.momentum_sgd(model.parameters, hyper.learning_rate, hyper.momentum, unit_gain=False)


OVER_IMAGE = stack(), stack(), permute(2, 0, 1)  # a bias is (channels, 1, 1)

TENSORS = [
    Tie("conv1.kernel", "conv1.W"),
    Tie("conv1.bias", "conv1.b", *OVER_IMAGE),
    Tie("conv2.kernel", "conv2.W"),
    Tie("conv2.bias", "conv2.b", *OVER_IMAGE),
    Tie("conv3.kernel", "conv3.W"),
    Tie("conv3.bias", "conv3.b", *OVER_IMAGE),
    Tie("conv4.kernel", "conv4.W"),
    Tie("conv4.bias", "conv4.b", *OVER_IMAGE),
    Tie("hidden.kernel", "hidden.W", TRANSPOSE),
    Tie("hidden.bias", "hidden.b"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
