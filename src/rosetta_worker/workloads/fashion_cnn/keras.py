"""fashion-cnn in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie, flatten_last


class Model(keras.Model):
    """Images (n, 28, 28, 1) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(64, kernel_size=3, activation="relu")
        self.conv2 = layers.Conv2D(32, kernel_size=3, activation="relu")
        self.flatten = layers.Flatten()
        self.logits = layers.Dense(10)  # Keras keeps the name `output` for itself
        self(keras.Input((28, 28, 1)))  # creates the weights, whose shapes follow from the input

    def call(self, images):
        x = self.conv1(images)
        x = self.conv2(x)
        x = self.flatten(x)
        return self.logits(x)


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1.kernel", CHANNELS_LAST),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.kernel", CHANNELS_LAST),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "logits.kernel", flatten_last(32, 24, 24), TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
