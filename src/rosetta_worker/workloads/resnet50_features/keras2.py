"""resnet50-features in Keras 2."""

import keras
from keras.layers import Activation, Conv2D, GlobalAveragePooling2D, Input, MaxPooling2D, ZeroPadding2D, add

from rosetta_worker.layers.keras2 import CHANNELS, KERNEL, RELU, BatchNormalization, arranged, image
from rosetta_worker.tensors import Tie


def convolution(x, channels, size, name, stride=1):
    if stride == 2 and size > 1:  # the meaning of "same" at stride 2 depends on the back end
        x = ZeroPadding2D(size // 2)(x)
    padding = "same" if stride == 1 else "valid"
    return Conv2D(channels, size, strides=stride, padding=padding, use_bias=False, name=name)(x)


def norm(x, name):
    return BatchNormalization(axis=CHANNELS, epsilon=1e-5, name=name)(x)


def block(x, channels, stride, first, name):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""
    y = Activation(RELU)(norm(convolution(x, channels, 1, name + "_conv1"), name + "_norm1"))
    y = Activation(RELU)(norm(convolution(y, channels, 3, name + "_conv2", stride), name + "_norm2"))
    y = norm(convolution(y, 4 * channels, 1, name + "_conv3"), name + "_norm3")
    if first:
        x = norm(convolution(x, 4 * channels, 1, name + "_shortcut", stride), name + "_shortcut_norm")
    return Activation(RELU)(add([x, y]))


def Model():
    """Images (n, 3, 224, 224), or with channels last, to features (n, 2048)."""
    images = Input(image(3, 224, 224))
    x = Activation(RELU)(norm(convolution(images, 64, 7, "stem", 2), "norm"))
    x = MaxPooling2D(3, strides=2)(ZeroPadding2D(1)(x))  # zeros are safe: nothing after a ReLU is smaller
    number = 0
    for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for place in range(count):
            number += 1
            x = block(x, channels, 2 if place == 0 and channels > 64 else 1, place == 0, "block%d" % number)
    return keras.Model(images, GlobalAveragePooling2D()(x))


TENSORS = [
    Tie("stem.kernel", "stem.kernel", *KERNEL),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "block{1..16}_conv1.kernel", *KERNEL),
    Tie("block{1..16}.conv2.kernel", "block{1..16}_conv2.kernel", *KERNEL),
    Tie("block{1..16}.conv3.kernel", "block{1..16}_conv3.kernel", *KERNEL),
    Tie("block{1..16}.norm{1..2}.scale", "block{1..16}_norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "block{1..16}_norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "block{1..16}_norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "block{1..16}_norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "block{1,4,8,14}_shortcut.kernel", *KERNEL),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "block{1,4,8,14}_shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "block{1,4,8,14}_shortcut_norm.beta"),
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
