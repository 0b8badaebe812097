"""chestxray-densenet121 in TensorFlow 1."""

import tensorflow as tf

from rosetta_worker.layers.tensorflow1 import BatchNormalization
from rosetta_worker.optimizers.tensorflow1 import Adam
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


def conv(x, channels, size, name):
    return tf.layers.conv2d(x, channels, size, padding="same", use_bias=False, name=name)


def norm(x, training, name):
    return BatchNormalization(momentum=0.9, epsilon=1e-5, name=name)(x, training=training)


def layer(x, training):
    """Append 32 feature maps to the input."""
    y = conv(tf.nn.relu(norm(x, training, "norm1")), 128, 1, "conv1")
    y = conv(tf.nn.relu(norm(y, training, "norm2")), 32, 3, "conv2")
    return tf.concat((x, y), -1)


def transition(x, training):
    """Halve the number of maps, and their height and width."""
    y = conv(tf.nn.relu(norm(x, training, "norm")), x.shape[-1].value // 2, 1, "conv")
    return tf.layers.average_pooling2d(y, 2, strides=2)


class Model(object):
    """Images (n, 224, 224, 3) to logits (n, 14)."""

    inputs = (tf.float32, (None, None, None, 3))  # dtype and shape of the placeholder for images
    labels = (tf.float32, (None, 14))

    def __call__(self, images, training):
        x = tf.pad(images, ((0, 0), (3, 3), (3, 3), (0, 0)))  # "same" would pad two zeros before and three after
        x = tf.layers.conv2d(x, 64, 7, strides=2, use_bias=False, name="stem")
        x = tf.nn.relu(norm(x, training, "norm"))
        x = tf.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))  # zeros are safe: nothing after a ReLU is smaller
        x = tf.layers.max_pooling2d(x, 3, strides=2)
        for number in range(58):
            if number in SMALLER:
                with tf.variable_scope("transition%d" % (SMALLER.index(number) + 1)):
                    x = transition(x, training)
            with tf.variable_scope("layer%d" % (number + 1)):
                x = layer(x, training)
        x = tf.reduce_mean(tf.nn.relu(norm(x, training, "final")), (1, 2))
        return tf.layers.dense(x, 14, name="output")


def loss(logits, labels):
    return tf.losses.sigmoid_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem/kernel", CHANNELS_LAST),
    Tie("layer{1..58}.conv{1..2}.kernel", "layer{1..58}/conv{1..2}/kernel", CHANNELS_LAST),
    Tie("transition{1..3}.kernel", "transition{1..3}/conv/kernel", CHANNELS_LAST),
    Tie("norm.scale", "norm/gamma"),
    Tie("norm.shift", "norm/beta"),
    Tie("layer{1..58}.norm{1..2}.scale", "layer{1..58}/norm{1..2}/gamma"),
    Tie("layer{1..58}.norm{1..2}.shift", "layer{1..58}/norm{1..2}/beta"),
    Tie("transition{1..3}.norm.scale", "transition{1..3}/norm/gamma"),
    Tie("transition{1..3}.norm.shift", "transition{1..3}/norm/beta"),
    Tie("final.scale", "final/gamma"),
    Tie("final.shift", "final/beta"),
    Tie("output.kernel", "output/kernel", TRANSPOSE),
    Tie("output.bias", "output/bias"),
]

STATE = [
    Tie("norm.mean", "norm/moving_mean"),
    Tie("norm.variance", "norm/moving_variance"),
    Tie("layer{1..58}.norm{1..2}.mean", "layer{1..58}/norm{1..2}/moving_mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "layer{1..58}/norm{1..2}/moving_variance"),
    Tie("transition{1..3}.norm.mean", "transition{1..3}/norm/moving_mean"),
    Tie("transition{1..3}.norm.variance", "transition{1..3}/norm/moving_variance"),
    Tie("final.mean", "final/moving_mean"),
    Tie("final.variance", "final/moving_variance"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
