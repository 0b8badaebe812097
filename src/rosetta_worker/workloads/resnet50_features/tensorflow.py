"""resnet50-features in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.tensors import CHANNELS_LAST, Tie


def norm():
    return layers.BatchNormalization(epsilon=1e-5)


class Block(layers.Layer):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1 = layers.Conv2D(channels, 1, use_bias=False)
        self.norm1 = norm()
        self.border = layers.ZeroPadding2D(1)  # padding "same" has none before, at stride 2
        self.conv2 = layers.Conv2D(channels, 3, strides=stride, use_bias=False)
        self.norm2 = norm()
        self.conv3 = layers.Conv2D(4 * channels, 1, use_bias=False)
        self.norm3 = norm()
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut = layers.Conv2D(4 * channels, 1, strides=stride, use_bias=False)
            self.shortcut_norm = norm()

    def call(self, x, training=None):
        y = tf.nn.relu(self.norm1(self.conv1(x), training=training))
        y = tf.nn.relu(self.norm2(self.conv2(self.border(y)), training=training))
        y = self.norm3(self.conv3(y), training=training)
        if self.first:
            x = self.shortcut_norm(self.shortcut(x), training=training)
        return tf.nn.relu(x + y)


class Model(tf.keras.Model):
    """Images (n, 224, 224, 3) to features (n, 2048)."""

    def __init__(self):
        super().__init__()
        self.border3 = layers.ZeroPadding2D(3)
        self.stem = layers.Conv2D(64, 7, strides=2, use_bias=False)
        self.norm = norm()
        self.border1 = layers.ZeroPadding2D(1)  # zeros are safe: nothing after a ReLU is smaller
        self.shrink = layers.MaxPooling2D(3, strides=2)
        self.blocks = []
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                inputs = 4 * channels
        self(tf.keras.Input((None, None, 3)))  # creates the weights, whose shapes follow from the input

    def call(self, images, training=None):
        x = tf.nn.relu(self.norm(self.stem(self.border3(images)), training=training))
        x = self.shrink(self.border1(x))
        for block in self.blocks:
            x = block(x, training=training)
        return tf.reduce_mean(x, (1, 2))


TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.kernel", CHANNELS_LAST),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.kernel", CHANNELS_LAST),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.beta"),
]

STATE = [
    Tie("norm.mean", "norm.moving_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "blocks.{0..15}.norm{1..2}.moving_mean"),
    Tie("block{1..16}.norm3.mean", "blocks.{0..15}.norm3.moving_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "blocks.{0,3,7,13}.shortcut_norm.moving_mean"),
    Tie("norm.variance", "norm.moving_variance"),
    Tie("block{1..16}.norm{1..2}.variance", "blocks.{0..15}.norm{1..2}.moving_variance"),
    Tie("block{1..16}.norm3.variance", "blocks.{0..15}.norm3.moving_variance"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "blocks.{0,3,7,13}.shortcut_norm.moving_variance"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
