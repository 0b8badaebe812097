"""cifar-vgg in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy
from keras.optimizers import SGD

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie, flatten_last


class Model(keras.Model):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(50, kernel_size=3, padding="same", activation="relu")
        self.conv2 = layers.Conv2D(50, kernel_size=3, padding="same")
        self.dropout1 = layers.Dropout(0.25)
        self.conv3 = layers.Conv2D(100, kernel_size=3, padding="same", activation="relu")
        self.conv4 = layers.Conv2D(100, kernel_size=3, padding="same")
        self.dropout2 = layers.Dropout(0.25)
        self.pool = layers.MaxPooling2D(2)
        self.flatten = layers.Flatten()
        self.hidden = layers.Dense(512, activation="relu")
        self.dropout3 = layers.Dropout(0.5)
        self.logits = layers.Dense(10)  # Keras keeps the name `output` for itself
        self(keras.Input((32, 32, 3)))  # creates the weights, whose shapes follow from the input

    def call(self, images, training=None):
        x = self.conv1(images)
        x = ops.relu(self.pool(self.conv2(x)))
        x = self.dropout1(x, training=training)
        x = self.conv3(x)
        x = ops.relu(self.pool(self.conv4(x)))
        x = self.dropout2(x, training=training)
        x = self.flatten(x)
        x = self.hidden(x)
        x = self.dropout3(x, training=training)
        return self.logits(x)


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    # v includes the rate: equivalent while the rate is constant
    return SGD(hyper.learning_rate, momentum=hyper.momentum)


TENSORS = [
    Tie("conv1.kernel", "conv1.kernel", CHANNELS_LAST),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.kernel", CHANNELS_LAST),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.kernel", CHANNELS_LAST),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.kernel", CHANNELS_LAST),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.kernel", flatten_last(100, 8, 8), TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
