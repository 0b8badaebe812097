"""resnet50-synthetic in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.optimizers.keras import RMSprop
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie


def norm():
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


class Block(layers.Layer):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1 = layers.Conv2D(channels, 1, strides=stride)
        self.norm1 = norm()
        self.conv2 = layers.Conv2D(channels, 3, padding="same")
        self.norm2 = norm()
        self.conv3 = layers.Conv2D(4 * channels, 1)
        self.norm3 = norm()
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut = layers.Conv2D(4 * channels, 1, strides=stride)
            self.shortcut_norm = norm()

    def call(self, x, training=None):
        y = tf.nn.relu(self.norm1(self.conv1(x), training=training))
        y = tf.nn.relu(self.norm2(self.conv2(y), training=training))
        y = self.norm3(self.conv3(y), training=training)
        if self.first:
            x = self.shortcut_norm(self.shortcut(x), training=training)
        return tf.nn.relu(x + y)


class Model(tf.keras.Model):
    """Images (n, 256, 256, 3) to logits (n, 1000)."""

    def __init__(self):
        super().__init__()
        self.border3 = layers.ZeroPadding2D(3)  # padding "same" has one row less before than after, at stride 2
        self.stem = layers.Conv2D(64, 7, strides=2)
        self.norm = norm()
        self.border1 = layers.ZeroPadding2D(1)  # zeros are safe: nothing after a ReLU is smaller
        self.shrink = layers.MaxPooling2D(3, strides=2)
        self.blocks = []
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                inputs = 4 * channels
        self.logits = layers.Dense(1000)  # Keras keeps the name `output` for itself
        self(tf.keras.Input((None, None, 3)))  # creates the weights, whose shapes follow from the input

    def call(self, images, training=None):
        x = tf.nn.relu(self.norm(self.stem(self.border3(images)), training=training))
        x = self.shrink(self.border1(x))
        for block in self.blocks:
            x = block(x, training=training)
        x = tf.reduce_mean(x, (1, 2))
        return self.logits(x)


def loss(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def optimizer(model, hyper):
    return RMSprop(hyper.learning_rate, rho=hyper.rho, epsilon=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv{1..2}.bias", "blocks.{0..15}.conv{1..2}.bias"),
    Tie("block{1..16}.conv3.bias", "blocks.{0..15}.conv3.bias"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.kernel", CHANNELS_LAST),
    Tie("block{1,4,8,14}.shortcut.bias", "blocks.{0,3,7,13}.shortcut.bias"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.beta"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
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
