"""ResNet-56 in TensorFlow 2, without its last pool and output layer, and how it is trained."""

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.regularizers import L2

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import CHANNELS_LAST, Tie


def convolution(channels, size, stride=1):
    return layers.Conv2D(channels, size, strides=stride, padding="same", kernel_regularizer=L2(1e-4))


def norm():
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


class Block(layers.Layer):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""

    def __init__(self, channels, stride):
        super().__init__()
        self.stride = stride
        self.conv1 = convolution(channels, 3, stride)
        self.norm1 = norm()
        self.conv2 = convolution(channels, 3)
        self.norm2 = norm()
        if stride == 2:
            self.shortcut = convolution(channels, 1, stride)

    def call(self, x, training=None):
        y = tf.nn.relu(self.norm1(self.conv1(x), training=training))
        y = self.norm2(self.conv2(y), training=training)
        if self.stride == 2:
            x = self.shortcut(x)
        return tf.nn.relu(x + y)


class Trunk(tf.keras.Model):
    """The stem and 27 blocks: images (n, height, width, 3) to features (n, height / 4, width / 4, 64)."""

    def __init__(self):
        super().__init__()
        self.stem = convolution(16, 3)
        self.norm = norm()
        self.blocks = []
        for channels in (16, 32, 64):
            for number in range(9):
                self.blocks.append(Block(channels, 2 if number == 0 and channels > 16 else 1))

    def features(self, images, training=None):
        x = tf.nn.relu(self.norm(self.stem(images), training=training))
        for block in self.blocks:
            x = block(x, training=training)
        return x


def loss(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def penalty(model):
    return tf.add_n(model.losses)  # the penalties of the regularizers


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..27}.conv{1..2}.kernel", "blocks.{0..26}.conv{1..2}.kernel", CHANNELS_LAST),
    Tie("block{1..27}.conv{1..2}.bias", "blocks.{0..26}.conv{1..2}.bias"),
    Tie("block{1..27}.norm1.scale", "blocks.{0..26}.norm1.gamma"),
    Tie("block{1..27}.norm2.scale", "blocks.{0..26}.norm2.gamma"),
    Tie("block{1..27}.norm1.shift", "blocks.{0..26}.norm1.beta"),
    Tie("block{1..27}.norm2.shift", "blocks.{0..26}.norm2.beta"),
    Tie(
        "block10.shortcut.kernel block19.shortcut.kernel",
        "blocks.9.shortcut.kernel blocks.18.shortcut.kernel",
        CHANNELS_LAST,
    ),
    Tie("block10.shortcut.bias block19.shortcut.bias", "blocks.9.shortcut.bias blocks.18.shortcut.bias"),
]

STATE = [
    Tie("norm.mean", "norm.moving_mean"),
    Tie("block{1..27}.norm{1..2}.mean", "blocks.{0..26}.norm{1..2}.moving_mean"),
    Tie("norm.variance", "norm.moving_variance"),
    Tie("block{1..27}.norm{1..2}.variance", "blocks.{0..26}.norm{1..2}.moving_variance"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
