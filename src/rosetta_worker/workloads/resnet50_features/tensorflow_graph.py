"""resnet50-features in TensorFlow 1."""

import tensorflow as tf

from rosetta_worker.tensors import CHANNELS_LAST, Tie


def conv(x, channels, size, stride, name):
    border = size // 2  # padding "same" has none before, at stride 2
    x = tf.pad(x, ((0, 0), (border, border), (border, border), (0, 0))) if border else x
    return tf.layers.conv2d(x, channels, size, strides=stride, use_bias=False, name=name)


def norm(x, training, name):
    return tf.layers.batch_normalization(x, epsilon=1e-5, training=training, name=name)


def block(x, channels, stride, training):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""
    y = tf.nn.relu(norm(conv(x, channels, 1, 1, "conv1"), training, "norm1"))
    y = tf.nn.relu(norm(conv(y, channels, 3, stride, "conv2"), training, "norm2"))
    y = norm(conv(y, 4 * channels, 1, 1, "conv3"), training, "norm3")
    if x.shape[-1] != 4 * channels:
        x = norm(conv(x, 4 * channels, 1, stride, "shortcut"), training, "shortcut_norm")
    return tf.nn.relu(x + y)


class Model(object):
    """Images (n, 224, 224, 3) to features (n, 2048)."""

    inputs = (tf.float32, (None, None, None, 3))  # dtype and shape of the placeholder for images

    def __call__(self, images, training):
        x = tf.nn.relu(norm(conv(images, 64, 7, 2, "stem"), training, "norm"))
        x = tf.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))  # zeros are safe: nothing after a ReLU is smaller
        x = tf.layers.max_pooling2d(x, 3, strides=2)
        number = 0
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for place in range(count):
                number += 1
                with tf.variable_scope("block%d" % number):
                    x = block(x, channels, 2 if place == 0 and channels > 64 else 1, training)
        return tf.reduce_mean(x, (1, 2))


TENSORS = [
    Tie("stem.kernel", "stem/kernel", CHANNELS_LAST),
    Tie("norm.scale", "norm/gamma"),
    Tie("norm.shift", "norm/beta"),
    Tie("block{1..16}.conv1.kernel", "block{1..16}/conv1/kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv2.kernel", "block{1..16}/conv2/kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv3.kernel", "block{1..16}/conv3/kernel", CHANNELS_LAST),
    Tie("block{1..16}.norm{1..2}.scale", "block{1..16}/norm{1..2}/gamma"),
    Tie("block{1..16}.norm3.scale", "block{1..16}/norm3/gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "block{1..16}/norm{1..2}/beta"),
    Tie("block{1..16}.norm3.shift", "block{1..16}/norm3/beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "block{1,4,8,14}/shortcut/kernel", CHANNELS_LAST),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "block{1,4,8,14}/shortcut_norm/gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "block{1,4,8,14}/shortcut_norm/beta"),
]

STATE = [
    Tie("norm.mean", "norm/moving_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "block{1..16}/norm{1..2}/moving_mean"),
    Tie("block{1..16}.norm3.mean", "block{1..16}/norm3/moving_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "block{1,4,8,14}/shortcut_norm/moving_mean"),
    Tie("norm.variance", "norm/moving_variance"),
    Tie("block{1..16}.norm{1..2}.variance", "block{1..16}/norm{1..2}/moving_variance"),
    Tie("block{1..16}.norm3.variance", "block{1..16}/norm3/moving_variance"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "block{1,4,8,14}/shortcut_norm/moving_variance"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
