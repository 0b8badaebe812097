"""chestxray-densenet121 in Keras 2."""

import keras
from keras import backend as K
from keras.layers import (
    Activation,
    AveragePooling2D,
    Conv2D,
    Dense,
    GlobalAveragePooling2D,
    Input,
    ZeroPadding2D,
    concatenate,
)

from rosetta_worker.layers.keras2 import CHANNELS, KERNEL, RELU, BatchNormalization, MaxPooling2D, arranged, image
from rosetta_worker.optimizers.keras2 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


def convolution(x, channels, size, name):
    return Conv2D(channels, size, padding="same", use_bias=False, name=name)(x)


def norm(x, name):
    return BatchNormalization(axis=CHANNELS, momentum=0.9, epsilon=1e-5, name=name)(x)


def layer(x, name):
    """Append 32 feature maps to the input."""
    y = convolution(Activation(RELU)(norm(x, name + "_norm1")), 128, 1, name + "_conv1")
    y = convolution(Activation(RELU)(norm(y, name + "_norm2")), 32, 3, name + "_conv2")
    return concatenate([x, y], CHANNELS)


def transition(x, name):
    """Halve the number of maps, and their height and width."""
    channels = K.int_shape(x)[CHANNELS] // 2
    y = convolution(Activation(RELU)(norm(x, name + "_norm")), channels, 1, name + "_conv")
    return AveragePooling2D(2)(y)


def Model():
    """Images (n, 3, 224, 224), or with channels last, to logits (n, 14)."""
    images = Input(image(3, 224, 224))
    x = ZeroPadding2D(3)(images)  # "same" would pad two zeros before and three after
    x = Conv2D(64, 7, strides=2, use_bias=False, name="stem")(x)
    x = ZeroPadding2D(1)(Activation(RELU)(norm(x, "norm")))  # zeros are safe: nothing after a ReLU is smaller
    x = MaxPooling2D(3, strides=2)(x)
    for number in range(58):
        if number in SMALLER:
            x = transition(x, "transition%d" % (SMALLER.index(number) + 1))
        x = layer(x, "layer%d" % (number + 1))
    x = GlobalAveragePooling2D()(Activation(RELU)(norm(x, "final")))
    return keras.Model(images, Dense(14, name="output")(x))


def loss(logits, labels):
    # Per sample and label: Keras itself takes the mean.
    return K.binary_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem.kernel", *KERNEL),
    Tie("layer{1..58}.conv{1..2}.kernel", "layer{1..58}_conv{1..2}.kernel", *KERNEL),
    Tie("transition{1..3}.kernel", "transition{1..3}_conv.kernel", *KERNEL),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("layer{1..58}.norm{1..2}.scale", "layer{1..58}_norm{1..2}.gamma"),
    Tie("layer{1..58}.norm{1..2}.shift", "layer{1..58}_norm{1..2}.beta"),
    Tie("transition{1..3}.norm.scale", "transition{1..3}_norm.gamma"),
    Tie("transition{1..3}.norm.shift", "transition{1..3}_norm.beta"),
    Tie("final.scale", "final.gamma"),
    Tie("final.shift", "final.beta"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]

STATE = [
    Tie("norm.mean", "norm.moving_mean"),
    Tie("norm.variance", "norm.moving_variance"),
    Tie("layer{1..58}.norm{1..2}.mean", "layer{1..58}_norm{1..2}.moving_mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "layer{1..58}_norm{1..2}.moving_variance"),
    Tie("transition{1..3}.norm.mean", "transition{1..3}_norm.moving_mean"),
    Tie("transition{1..3}.norm.variance", "transition{1..3}_norm.moving_variance"),
    Tie("final.mean", "final.moving_mean"),
    Tie("final.variance", "final.moving_variance"),
]


def arrange(images):
    return arranged(images)
