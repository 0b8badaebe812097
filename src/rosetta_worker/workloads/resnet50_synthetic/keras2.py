"""resnet50-synthetic in Keras 2."""

import keras
from keras import backend as K
from keras.layers import Activation, Conv2D, Dense, GlobalAveragePooling2D, Input, ZeroPadding2D, add

from rosetta_worker.layers.keras2 import CHANNELS, KERNEL, RELU, BatchNormalization, MaxPooling2D, arranged, image
from rosetta_worker.optimizers.keras2 import RMSprop
from rosetta_worker.tensors import TRANSPOSE, Tie


def convolution(x, channels, size, name, stride=1):
    padding = "same" if stride == 1 else "valid"
    return Conv2D(channels, size, strides=stride, padding=padding, name=name)(x)


def norm(x, name):
    return BatchNormalization(axis=CHANNELS, momentum=0.99, epsilon=1e-3, name=name)(x)


def block(x, channels, stride, first, name):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""
    y = Activation(RELU)(norm(convolution(x, channels, 1, name + "_conv1", stride), name + "_norm1"))
    y = Activation(RELU)(norm(convolution(y, channels, 3, name + "_conv2"), name + "_norm2"))
    y = norm(convolution(y, 4 * channels, 1, name + "_conv3"), name + "_norm3")
    if first:
        x = norm(convolution(x, 4 * channels, 1, name + "_shortcut", stride), name + "_shortcut_norm")
    return Activation(RELU)(add([x, y]))


def Model():
    """Images (n, 3, 256, 256), or with channels last, to logits (n, 1000)."""
    images = Input(image(3, 256, 256))
    x = ZeroPadding2D(3)(images)  # padding "same" has one row less before than after, at stride 2
    x = Activation(RELU)(norm(convolution(x, 64, 7, "stem", 2), "norm"))
    x = MaxPooling2D(3, strides=2)(ZeroPadding2D(1)(x))  # zeros are safe: nothing after a ReLU is smaller
    number = 0
    for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for place in range(count):
            number += 1
            x = block(x, channels, 2 if place == 0 and channels > 64 else 1, place == 0, "block%d" % number)
    x = GlobalAveragePooling2D()(x)
    return keras.Model(images, Dense(1000, name="output")(x))


def loss(logits, labels):
    # Per sample: Keras itself takes the mean.
    return K.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    return RMSprop(hyper.learning_rate, rho=hyper.rho, epsilon=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem.kernel", *KERNEL),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "block{1..16}_conv1.kernel", *KERNEL),
    Tie("block{1..16}.conv2.kernel", "block{1..16}_conv2.kernel", *KERNEL),
    Tie("block{1..16}.conv3.kernel", "block{1..16}_conv3.kernel", *KERNEL),
    Tie("block{1..16}.conv{1..2}.bias", "block{1..16}_conv{1..2}.bias"),
    Tie("block{1..16}.conv3.bias", "block{1..16}_conv3.bias"),
    Tie("block{1..16}.norm{1..2}.scale", "block{1..16}_norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "block{1..16}_norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "block{1..16}_norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "block{1..16}_norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "block{1,4,8,14}_shortcut.kernel", *KERNEL),
    Tie("block{1,4,8,14}.shortcut.bias", "block{1,4,8,14}_shortcut.bias"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "block{1,4,8,14}_shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "block{1,4,8,14}_shortcut_norm.beta"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]

STATE = [
    Tie("norm.mean", "norm.moving_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "block{1..16}_norm{1..2}.moving_mean"),
    Tie("block{1..16}.norm3.mean", "block{1..16}_norm3.moving_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "block{1,4,8,14}_shortcut_norm.moving_mean"),
    Tie("norm.variance", "norm.moving_variance"),
    Tie("block{1..16}.norm{1..2}.variance", "block{1..16}_norm{1..2}.moving_variance"),
    Tie("block{1..16}.norm3.variance", "block{1..16}_norm3.moving_variance"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "block{1,4,8,14}_shortcut_norm.moving_variance"),
]


def arrange(images):
    return arranged(images)
