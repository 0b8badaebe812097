"""cifar-resnet56 in Keras 2."""

import keras
from keras.layers import Dense, GlobalAveragePooling2D, Input
from keras.regularizers import l2

from rosetta_worker.layers.keras2 import image
from rosetta_worker.layers.resnet56.keras2 import STATE, TRUNK_TENSORS, arrange, features, loss, optimizer  # noqa: F401
from rosetta_worker.tensors import TRANSPOSE, Tie


def Model():
    """Images (n, 3, 32, 32), or with channels last, to logits (n, 10)."""
    images = Input(image(3, 32, 32))
    x = features(images)
    x = GlobalAveragePooling2D()(x)
    return keras.Model(images, Dense(10, kernel_regularizer=l2(1e-4), name="output")(x))


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
