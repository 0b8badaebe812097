"""resnet50-synthetic in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie


def norm(channels, rngs):
    return nnx.BatchNorm(channels, momentum=0.99, epsilon=1e-3, use_fast_variance=False, rngs=rngs)


class Block(nnx.Module):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride, rngs):
        self.conv1 = nnx.Conv(inputs, channels, kernel_size=(1, 1), strides=stride, rngs=rngs)
        self.norm1 = norm(channels, rngs)
        self.conv2 = nnx.Conv(channels, channels, kernel_size=(3, 3), padding=1, rngs=rngs)
        self.norm2 = norm(channels, rngs)
        self.conv3 = nnx.Conv(channels, 4 * channels, kernel_size=(1, 1), rngs=rngs)
        self.norm3 = norm(4 * channels, rngs)
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut = nnx.Conv(inputs, 4 * channels, kernel_size=(1, 1), strides=stride, rngs=rngs)
            self.shortcut_norm = norm(4 * channels, rngs)

    def __call__(self, x):
        y = nnx.relu(self.norm1(self.conv1(x)))
        y = nnx.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return nnx.relu(x + y)


class Model(nnx.Module):
    """Images (n, 256, 256, 3) to logits (n, 1000)."""

    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 64, kernel_size=(7, 7), strides=2, padding=3, rngs=rngs)
        self.norm = norm(64, rngs)
        self.blocks = nnx.List()
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1, rngs))
                inputs = 4 * channels
        self.output = nnx.Linear(2048, 1000, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.norm(self.stem(images)))
        x = nnx.max_pool(x, window_shape=(3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        for block in self.blocks:
            x = block(x)
        x = x.mean((1, 2))
        return self.output(x)


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    # By default, Optax adds epsilon within the root.
    own = optax.rmsprop(hyper.learning_rate, decay=hyper.rho, eps=hyper.epsilon, eps_in_sqrt=False)
    return nnx.Optimizer(model, own, wrt=nnx.Param)


TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.scale"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv{1..2}.bias", "blocks.{0..15}.conv{1..2}.bias"),
    Tie("block{1..16}.conv3.bias", "blocks.{0..15}.conv3.bias"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.scale"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.scale"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.bias"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.bias"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.kernel", CHANNELS_LAST),
    Tie("block{1,4,8,14}.shortcut.bias", "blocks.{0,3,7,13}.shortcut.bias"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.scale"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]

STATE = [
    Tie("norm.mean", "norm.mean"),
    Tie("block{1..16}.norm{1..2}.mean", "blocks.{0..15}.norm{1..2}.mean"),
    Tie("block{1..16}.norm3.mean", "blocks.{0..15}.norm3.mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "blocks.{0,3,7,13}.shortcut_norm.mean"),
    Tie("norm.variance", "norm.var"),
    Tie("block{1..16}.norm{1..2}.variance", "blocks.{0..15}.norm{1..2}.var"),
    Tie("block{1..16}.norm3.variance", "blocks.{0..15}.norm3.var"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "blocks.{0,3,7,13}.shortcut_norm.var"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
