"""fashion-cnn in Keras 2."""

import keras
from keras import backend as K
from keras.layers import Conv2D, Dense, Flatten, Input

from rosetta_worker.layers.keras2 import KERNEL, RELU, arranged, image
from rosetta_worker.optimizers.keras2 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie, flatten_last


def Model():
    """Images (n, 1, 28, 28), or with channels last, to logits (n, 10)."""
    images = Input(image(1, 28, 28))
    x = Conv2D(64, 3, activation=RELU, name="conv1")(images)
    x = Conv2D(32, 3, activation=RELU, name="conv2")(x)
    x = Flatten()(x)  # to channels last, for any image format
    return keras.Model(images, Dense(10, name="output")(x))


def loss(logits, labels):
    # Per sample: Keras itself takes the mean.
    return K.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1.kernel", *KERNEL),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.kernel", *KERNEL),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.kernel", flatten_last(32, 24, 24), TRANSPOSE),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return arranged(images)
