"""cifar-resnet56:halves in TensorFlow 2: each device normalises its own half of a batch."""

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.regularizers import L2

from rosetta_worker.layers.resnet56.tensorflow import STATE, TRUNK_TENSORS, Trunk, arrange, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(Trunk):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.logits = layers.Dense(10, kernel_regularizer=L2(1e-4))  # Keras keeps the name `output` for itself
        self(tf.keras.Input((32, 32, 3)))  # creates the weights, whose shapes follow from the input

    def call(self, images, training=None):
        x = self.features(images, training)
        x = tf.reduce_mean(x, (1, 2))
        return self.logits(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
