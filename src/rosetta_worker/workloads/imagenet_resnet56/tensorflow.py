"""imagenet-resnet56 in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.regularizers import L2

from rosetta_worker.layers.resnet56.tensorflow import STATE, TRUNK_TENSORS, Trunk, arrange, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import TRANSPOSE, Tie, flatten_last


class Model(Trunk):
    """Images (n, 256, 256, 3) to logits (n, 1000)."""

    def __init__(self):
        super().__init__()
        self.pool = layers.AveragePooling2D(8)
        self.flatten = layers.Flatten()
        self.logits = layers.Dense(1000, kernel_regularizer=L2(1e-4))  # Keras keeps the name `output` for itself
        self(tf.keras.Input((256, 256, 3)))  # creates the weights, whose shapes follow from the input

    def call(self, images, training=None):
        x = self.features(images, training)
        x = self.flatten(self.pool(x))
        return self.logits(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "logits.kernel", flatten_last(64, 8, 8), TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
