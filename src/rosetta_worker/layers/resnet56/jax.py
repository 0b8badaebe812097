"""ResNet-56 in JAX: Flax NNX and Optax, without its last pool and output layer, and how it is trained."""

import jax
import optax
from flax import nnx
from jax import numpy as jnp
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import CHANNELS_LAST, Tie


def norm(channels, rngs):
    return nnx.BatchNorm(channels, momentum=0.99, epsilon=1e-3, rngs=rngs)


class Block(nnx.Module):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""

    def __init__(self, inputs, channels, stride, rngs):
        self.stride = stride
        self.conv1 = nnx.Conv(inputs, channels, kernel_size=(3, 3), strides=stride, padding="SAME", rngs=rngs)
        self.norm1 = norm(channels, rngs)
        self.conv2 = nnx.Conv(channels, channels, kernel_size=(3, 3), padding="SAME", rngs=rngs)
        self.norm2 = norm(channels, rngs)
        if stride == 2:
            self.shortcut = nnx.Conv(inputs, channels, kernel_size=(1, 1), strides=stride, rngs=rngs)

    def __call__(self, x):
        y = nnx.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        if self.stride == 2:
            x = self.shortcut(x)
        return nnx.relu(x + y)


class Trunk(nnx.Module):
    """The stem and 27 blocks: images (n, height, width, 3) to features (n, height / 4, width / 4, 64)."""

    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 16, kernel_size=(3, 3), padding="SAME", rngs=rngs)
        self.norm = norm(16, rngs)
        self.blocks = nnx.List()
        for channels in (16, 32, 64):
            for number in range(9):
                smaller = number == 0 and channels > 16
                self.blocks.append(Block(channels // 2 if smaller else channels, channels, 2 if smaller else 1, rngs))

    def features(self, images):
        x = nnx.relu(self.norm(self.stem(images)))
        for block in self.blocks:
            x = block(x)
        return x


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def penalty(model):
    kernels = [tensor for tensor in jax.tree.leaves(nnx.state(model, nnx.Param)) if tensor.ndim > 1]
    return 1e-4 * sum(jnp.square(kernel).sum() for kernel in kernels)


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.scale"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..27}.conv{1..2}.kernel", "blocks.{0..26}.conv{1..2}.kernel", CHANNELS_LAST),
    Tie("block{1..27}.conv{1..2}.bias", "blocks.{0..26}.conv{1..2}.bias"),
    Tie("block{1..27}.norm1.scale", "blocks.{0..26}.norm1.scale"),
    Tie("block{1..27}.norm2.scale", "blocks.{0..26}.norm2.scale"),
    Tie("block{1..27}.norm1.shift", "blocks.{0..26}.norm1.bias"),
    Tie("block{1..27}.norm2.shift", "blocks.{0..26}.norm2.bias"),
    Tie(
        "block10.shortcut.kernel block19.shortcut.kernel",
        "blocks.9.shortcut.kernel blocks.18.shortcut.kernel",
        CHANNELS_LAST,
    ),
    Tie("block10.shortcut.bias block19.shortcut.bias", "blocks.9.shortcut.bias blocks.18.shortcut.bias"),
]

STATE = [
    Tie("norm.mean", "norm.mean"),
    Tie("block{1..27}.norm{1..2}.mean", "blocks.{0..26}.norm{1..2}.mean"),
    Tie("norm.variance", "norm.var"),
    Tie("block{1..27}.norm{1..2}.variance", "blocks.{0..26}.norm{1..2}.var"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
