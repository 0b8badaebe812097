"""chestxray-densenet121 in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from jax import numpy as jnp
from optax import sigmoid_binary_cross_entropy

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


def norm(channels, rngs):
    # Flax's own variance, the mean of squares minus the square of the mean, is inexact (docs/findings.md).
    return nnx.BatchNorm(channels, momentum=0.9, epsilon=1e-5, use_fast_variance=False, rngs=rngs)


class Layer(nnx.Module):
    """Append 32 feature maps to the input."""

    def __init__(self, inputs, rngs):
        self.norm1 = norm(inputs, rngs)
        self.conv1 = nnx.Conv(inputs, 128, kernel_size=(1, 1), use_bias=False, rngs=rngs)
        self.norm2 = norm(128, rngs)
        self.conv2 = nnx.Conv(128, 32, kernel_size=(3, 3), padding="SAME", use_bias=False, rngs=rngs)

    def __call__(self, x):
        y = self.conv1(nnx.relu(self.norm1(x)))
        y = self.conv2(nnx.relu(self.norm2(y)))
        return jnp.concatenate((x, y), -1)


class Transition(nnx.Module):
    """Halve the number of maps, and their height and width."""

    def __init__(self, inputs, rngs):
        self.norm = norm(inputs, rngs)
        self.conv = nnx.Conv(inputs, inputs // 2, kernel_size=(1, 1), use_bias=False, rngs=rngs)

    def __call__(self, x):
        return nnx.avg_pool(self.conv(nnx.relu(self.norm(x))), (2, 2), strides=(2, 2))


class Model(nnx.Module):
    """Images (n, 224, 224, 3) to logits (n, 14)."""

    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 64, kernel_size=(7, 7), strides=2, padding=3, use_bias=False, rngs=rngs)
        self.norm = norm(64, rngs)
        self.stack = nnx.List()
        self.transitions = nnx.List()
        channels = 64
        for number in range(58):
            if number in SMALLER:
                self.transitions.append(Transition(channels, rngs))
                channels //= 2
            self.stack.append(Layer(channels, rngs))
            channels += 32
        self.final = norm(channels, rngs)
        self.output = nnx.Linear(channels, 14, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.norm(self.stem(images)))
        x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        for number, layer in enumerate(self.stack):
            if number in SMALLER:
                x = self.transitions[SMALLER.index(number)](x)
            x = layer(x)
        x = nnx.relu(self.final(x)).mean((1, 2))
        return self.output(x)


def loss(logits, labels):
    return sigmoid_binary_cross_entropy(logits, labels).mean()


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("layer{1..58}.conv{1..2}.kernel", "stack.{0..57}.conv{1..2}.kernel", CHANNELS_LAST),
    Tie("transition{1..3}.kernel", "transitions.{0..2}.conv.kernel", CHANNELS_LAST),
    Tie("norm.scale", "norm.scale"),
    Tie("norm.shift", "norm.bias"),
    Tie("layer{1..58}.norm{1..2}.scale", "stack.{0..57}.norm{1..2}.scale"),
    Tie("layer{1..58}.norm{1..2}.shift", "stack.{0..57}.norm{1..2}.bias"),
    Tie("transition{1..3}.norm.scale", "transitions.{0..2}.norm.scale"),
    Tie("transition{1..3}.norm.shift", "transitions.{0..2}.norm.bias"),
    Tie("final.scale", "final.scale"),
    Tie("final.shift", "final.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]

STATE = [
    Tie("norm.mean", "norm.mean"),
    Tie("norm.variance", "norm.var"),
    Tie("layer{1..58}.norm{1..2}.mean", "stack.{0..57}.norm{1..2}.mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "stack.{0..57}.norm{1..2}.var"),
    Tie("transition{1..3}.norm.mean", "transitions.{0..2}.norm.mean"),
    Tie("transition{1..3}.norm.variance", "transitions.{0..2}.norm.var"),
    Tie("final.mean", "final.mean"),
    Tie("final.variance", "final.var"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
