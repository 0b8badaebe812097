"""chestxray-densenet121 in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


def norm():
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)


class Layer(layers.Layer):
    """Append 32 feature maps to the input."""

    def __init__(self):
        super().__init__()
        self.norm1 = norm()
        self.conv1 = layers.Conv2D(128, 1, use_bias=False)
        self.norm2 = norm()
        self.conv2 = layers.Conv2D(32, 3, padding="same", use_bias=False)

    def call(self, x, training=None):
        y = self.conv1(tf.nn.relu(self.norm1(x, training=training)))
        y = self.conv2(tf.nn.relu(self.norm2(y, training=training)))
        return tf.concat((x, y), -1)


class Transition(layers.Layer):
    """Halve the number of maps, and their height and width."""

    def __init__(self, channels):
        super().__init__()
        self.norm = norm()
        self.conv = layers.Conv2D(channels, 1, use_bias=False)
        self.pool = layers.AveragePooling2D(2)

    def call(self, x, training=None):
        return self.pool(self.conv(tf.nn.relu(self.norm(x, training=training))))


class Model(tf.keras.Model):
    """Images (n, 224, 224, 3) to logits (n, 14)."""

    def __init__(self):
        super().__init__()
        self.stem_border = layers.ZeroPadding2D(3)  # "same" would pad two zeros before and three after
        self.stem = layers.Conv2D(64, 7, strides=2, use_bias=False)
        self.norm = norm()
        self.pool_border = layers.ZeroPadding2D(1)  # zeros are safe: nothing after a ReLU is smaller
        self.pool = layers.MaxPooling2D(3, strides=2)
        self.stack = []
        self.transitions = []
        channels = 64
        for number in range(58):
            if number in SMALLER:
                channels //= 2
                self.transitions.append(Transition(channels))
            self.stack.append(Layer())
            channels += 32
        self.final = norm()
        self.logits = layers.Dense(14)  # Keras keeps the name `output` for itself
        self(tf.keras.Input((None, None, 3)))  # creates the weights, whose shapes follow from the input

    def call(self, images, training=None):
        x = tf.nn.relu(self.norm(self.stem(self.stem_border(images)), training=training))
        x = self.pool(self.pool_border(x))
        for number, layer in enumerate(self.stack):
            if number in SMALLER:
                x = self.transitions[SMALLER.index(number)](x, training=training)
            x = layer(x, training=training)
        x = tf.reduce_mean(tf.nn.relu(self.final(x, training=training)), (1, 2))
        return self.logits(x)


def loss(logits, labels):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("layer{1..58}.conv{1..2}.kernel", "stack.{0..57}.conv{1..2}.kernel", CHANNELS_LAST),
    Tie("transition{1..3}.kernel", "transitions.{0..2}.conv.kernel", CHANNELS_LAST),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("layer{1..58}.norm{1..2}.scale", "stack.{0..57}.norm{1..2}.gamma"),
    Tie("layer{1..58}.norm{1..2}.shift", "stack.{0..57}.norm{1..2}.beta"),
    Tie("transition{1..3}.norm.scale", "transitions.{0..2}.norm.gamma"),
    Tie("transition{1..3}.norm.shift", "transitions.{0..2}.norm.beta"),
    Tie("final.scale", "final.gamma"),
    Tie("final.shift", "final.beta"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]

STATE = [
    Tie("norm.mean", "norm.moving_mean"),
    Tie("norm.variance", "norm.moving_variance"),
    Tie("layer{1..58}.norm{1..2}.mean", "stack.{0..57}.norm{1..2}.moving_mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "stack.{0..57}.norm{1..2}.moving_variance"),
    Tie("transition{1..3}.norm.mean", "transitions.{0..2}.norm.moving_mean"),
    Tie("transition{1..3}.norm.variance", "transitions.{0..2}.norm.moving_variance"),
    Tie("final.mean", "final.moving_mean"),
    Tie("final.variance", "final.moving_variance"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
