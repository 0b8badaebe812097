"""ResNet-56 in MLX, without its last pool and output layer, and how it is trained."""

import mlx.core as mx
from mlx import nn
from mlx.optimizers import Adam
from mlx.utils import tree_flatten

from rosetta_worker.tensors import Tie, permute


class BatchNorm(nn.BatchNorm):
    """The running variance averages the normalising variance; MLX's own averages n / (n - 1) times that."""

    def _calc_stats(self, x, ddof=0):
        return super()._calc_stats(x)


def norm(channels):
    return BatchNorm(channels, eps=1e-3, momentum=0.01)  # the weight of the new value


class Block(nn.Module):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.stride = stride
        self.conv1 = nn.Conv2d(inputs, channels, kernel_size=3, stride=stride, padding=1 if stride == 1 else 0)
        self.norm1 = norm(channels)
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1)
        self.norm2 = norm(channels)
        if stride == 2:
            self.shortcut = nn.Conv2d(inputs, channels, kernel_size=1, stride=stride)

    def __call__(self, x):
        y = x if self.stride == 1 else mx.pad(x, [(0, 0), (0, 1), (0, 1), (0, 0)])  # zeros after, none before
        y = nn.relu(self.norm1(self.conv1(y)))
        y = self.norm2(self.conv2(y))
        if self.stride == 2:
            x = self.shortcut(x)
        return nn.relu(x + y)


class Trunk(nn.Module):
    """The stem and 27 blocks: images (n, height, width, 3) to features (n, height / 4, width / 4, 64)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.norm = norm(16)
        self.blocks = []
        for channels in (16, 32, 64):
            for number in range(9):
                smaller = number == 0 and channels > 16
                self.blocks.append(Block(channels // 2 if smaller else channels, channels, 2 if smaller else 1))

    def features(self, images):
        x = nn.relu(self.norm(self.stem(images)))
        for block in self.blocks:
            x = block(x)
        return x


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def penalty(model):
    kernels = [tensor for _, tensor in tree_flatten(model.trainable_parameters()) if tensor.ndim > 1]
    return 1e-4 * sum(kernel.square().sum() for kernel in kernels)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, bias_correction=True)


KERNEL = permute(0, 2, 3, 1)  # (out, height, width, in)

TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.weight", KERNEL),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.weight"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..27}.conv{1..2}.kernel", "blocks.{0..26}.conv{1..2}.weight", KERNEL),
    Tie("block{1..27}.conv{1..2}.bias", "blocks.{0..26}.conv{1..2}.bias"),
    Tie("block{1..27}.norm1.scale", "blocks.{0..26}.norm1.weight"),
    Tie("block{1..27}.norm2.scale", "blocks.{0..26}.norm2.weight"),
    Tie("block{1..27}.norm1.shift", "blocks.{0..26}.norm1.bias"),
    Tie("block{1..27}.norm2.shift", "blocks.{0..26}.norm2.bias"),
    Tie(
        "block10.shortcut.kernel block19.shortcut.kernel", "blocks.9.shortcut.weight blocks.18.shortcut.weight", KERNEL
    ),
    Tie("block10.shortcut.bias block19.shortcut.bias", "blocks.9.shortcut.bias blocks.18.shortcut.bias"),
]

STATE = [
    Tie("norm.mean", "norm.running_mean"),
    Tie("block{1..27}.norm{1..2}.mean", "blocks.{0..26}.norm{1..2}.running_mean"),
    Tie("norm.variance", "norm.running_var"),
    Tie("block{1..27}.norm{1..2}.variance", "blocks.{0..26}.norm{1..2}.running_var"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
