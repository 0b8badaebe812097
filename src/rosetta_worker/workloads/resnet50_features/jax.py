"""resnet50-features in JAX: Flax NNX."""

from flax import nnx

from rosetta_worker.tensors import CHANNELS_LAST, Tie


def convolution(inputs, channels, size, rngs, stride=1):
    return nnx.Conv(inputs, channels, (size, size), stride, padding=size // 2, use_bias=False, rngs=rngs)


def norm(channels, rngs):
    return nnx.BatchNorm(channels, epsilon=1e-5, rngs=rngs)


class Block(nnx.Module):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride, rngs):
        self.conv1 = convolution(inputs, channels, 1, rngs)
        self.norm1 = norm(channels, rngs)
        self.conv2 = convolution(channels, channels, 3, rngs, stride)
        self.norm2 = norm(channels, rngs)
        self.conv3 = convolution(channels, 4 * channels, 1, rngs)
        self.norm3 = norm(4 * channels, rngs)
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut = convolution(inputs, 4 * channels, 1, rngs, stride)
            self.shortcut_norm = norm(4 * channels, rngs)

    def __call__(self, x):
        y = nnx.relu(self.norm1(self.conv1(x)))
        y = nnx.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return nnx.relu(x + y)


class Model(nnx.Module):
    """Images (n, 224, 224, 3) to features (n, 2048)."""

    def __init__(self, rngs):
        self.stem = convolution(3, 64, 7, rngs, 2)
        self.norm = norm(64, rngs)
        self.blocks = nnx.List()
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1, rngs))
                inputs = 4 * channels

    def __call__(self, images):
        x = nnx.relu(self.norm(self.stem(images)))
        x = nnx.max_pool(x, window_shape=(3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        for block in self.blocks:
            x = block(x)
        return x.mean((1, 2))


TENSORS = [
    Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
    Tie("norm.scale", "norm.scale"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.kernel", CHANNELS_LAST),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.kernel", CHANNELS_LAST),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.scale"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.scale"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.bias"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.bias"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.kernel", CHANNELS_LAST),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.scale"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.bias"),
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
