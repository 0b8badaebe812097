"""resnet50-features in CNTK."""

import cntk as C
from cntk.layers import BatchNormalization, Convolution2D, GlobalAveragePooling, MaxPooling

from rosetta_worker.tensors import Tie


def conv(channels, size, stride=1):
    return Convolution2D((size, size), channels, strides=stride, pad=size > 1, bias=False)


def norm():
    return BatchNormalization(map_rank=1, epsilon=1e-5)  # one for each channel


class Block(object):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        self.conv1, self.norm1 = conv(channels, 1), norm()
        self.conv2, self.norm2 = conv(channels, 3, stride), norm()
        self.conv3, self.norm3 = conv(4 * channels, 1), norm()
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut, self.shortcut_norm = conv(4 * channels, 1, stride), norm()

    def __call__(self, x):
        y = C.relu(self.norm1(self.conv1(x)))
        y = C.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return C.relu(x + y)


class Model(object):
    """Images (n, 3, 224, 224) to features (n, 2048)."""

    inputs = C.input_variable((3, 224, 224))

    def __init__(self):
        self.stem, self.norm = conv(64, 7, 2), norm()
        self.blocks = []
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                inputs = 4 * channels

    def __call__(self, images):
        x = C.relu(self.norm(self.stem(images)))
        x = MaxPooling((3, 3), strides=2, pad=True)(x)
        for block in self.blocks:
            x = block(x)
        return C.reshape(GlobalAveragePooling()(x), -1)


TENSORS = [
    Tie("stem.kernel", "stem.W"),
    Tie("norm.scale", "norm.scale"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.W"),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.W"),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.W"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.scale"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.scale"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.bias"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.bias"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.W"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.scale"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.bias"),
]

STATE = [
    Tie("norm.mean", "norm.aggregate_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "blocks.{0..15}.norm{1..2}.aggregate_mean"),
    Tie("block{1..16}.norm3.mean", "blocks.{0..15}.norm3.aggregate_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "blocks.{0,3,7,13}.shortcut_norm.aggregate_mean"),
    Tie("norm.variance", "norm.aggregate_variance"),
    Tie("block{1..16}.norm{1..2}.variance", "blocks.{0..15}.norm{1..2}.aggregate_variance"),
    Tie("block{1..16}.norm3.variance", "blocks.{0..15}.norm3.aggregate_variance"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "blocks.{0,3,7,13}.shortcut_norm.aggregate_variance"),
]
