"""cifar-vgg in Keras 2."""

import keras
from keras import backend as K
from keras.layers import Activation, Conv2D, Dense, Dropout, Flatten, Input

from rosetta_worker.layers.keras2 import KERNEL, RELU, MaxPooling2D, arranged, image
from rosetta_worker.optimizers.keras2 import SGD
from rosetta_worker.tensors import TRANSPOSE, Tie, flatten_last


def Model():
    """Images (n, 3, 32, 32), or with channels last, to logits (n, 10)."""
    images = Input(image(3, 32, 32))
    x = Conv2D(50, 3, padding="same", activation=RELU, name="conv1")(images)
    x = Conv2D(50, 3, padding="same", name="conv2")(x)
    x = Activation(RELU)(MaxPooling2D(2)(x))
    x = Dropout(0.25)(x)
    x = Conv2D(100, 3, padding="same", activation=RELU, name="conv3")(x)
    x = Conv2D(100, 3, padding="same", name="conv4")(x)
    x = Activation(RELU)(MaxPooling2D(2)(x))
    x = Dropout(0.25)(x)
    x = Flatten()(x)  # to channels last, for any image format
    x = Dense(512, activation=RELU, name="hidden")(x)
    x = Dropout(0.5)(x)
    return keras.Model(images, Dense(10, name="output")(x))


def loss(logits, labels):
    # Per sample: Keras itself takes the mean.
    return K.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    # v includes the rate: equivalent while the rate is constant
    return SGD(hyper.learning_rate, momentum=hyper.momentum)


TENSORS = [
    Tie("conv1.kernel", "conv1.kernel", *KERNEL),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.kernel", *KERNEL),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.kernel", *KERNEL),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.kernel", *KERNEL),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.kernel", flatten_last(100, 8, 8), TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return arranged(images)
