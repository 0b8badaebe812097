"""imagenet-resnet56 in Keras 2."""

import keras
from keras.layers import AveragePooling2D, Dense, Flatten, Input
from keras.regularizers import l2

from rosetta_worker.layers.keras2 import image
from rosetta_worker.layers.resnet56.keras2 import STATE, TRUNK_TENSORS, arrange, features, loss, optimizer  # noqa: F401
from rosetta_worker.tensors import TRANSPOSE, Tie, flatten_last


def Model():
    """Images (n, 3, 256, 256), or with channels last, to logits (n, 1000)."""
    images = Input(image(3, 256, 256))
    x = features(images)
    x = Flatten()(AveragePooling2D(8)(x))  # to channels last, for any image format
    return keras.Model(images, Dense(1000, kernel_regularizer=l2(1e-4), name="output")(x))


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.kernel", flatten_last(64, 8, 8), TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
