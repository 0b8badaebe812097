"""resnet50-features in MXNet Gluon."""

from mxnet import gluon
from mxnet.gluon import nn

from rosetta_worker.tensors import Tie


def norm(channels):
    return nn.BatchNorm(epsilon=1e-5, in_channels=channels)


class Block(gluon.HybridBlock):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2D(channels, kernel_size=1, in_channels=inputs, use_bias=False)
        self.norm1 = norm(channels)
        self.conv2 = nn.Conv2D(channels, 3, stride, padding=1, in_channels=channels, use_bias=False)
        self.norm2 = norm(channels)
        self.conv3 = nn.Conv2D(4 * channels, kernel_size=1, in_channels=channels, use_bias=False)
        self.norm3 = norm(4 * channels)
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut = nn.Conv2D(4 * channels, 1, stride, in_channels=inputs, use_bias=False)
            self.shortcut_norm = norm(4 * channels)

    def hybrid_forward(self, F, x):
        y = F.Activation(self.norm1(self.conv1(x)), act_type="relu")
        y = F.Activation(self.norm2(self.conv2(y)), act_type="relu")
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return F.relu(x + y)


class Model(gluon.HybridBlock):
    """Images (n, 3, 224, 224) to features (n, 2048)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(64, kernel_size=7, strides=2, padding=3, in_channels=3, use_bias=False)
        self.norm = norm(64)
        self.blocks = nn.HybridSequential()
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.add(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                inputs = 4 * channels

    def hybrid_forward(self, F, images):
        x = F.Activation(self.norm(self.stem(images)), act_type="relu")
        x = F.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
        x = self.blocks(x)
        return F.mean(x, axis=(2, 3))


TENSORS = [
    Tie("stem.kernel", "stem.weight"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.weight"),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.weight"),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.weight"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.weight"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.beta"),
]

STATE = [
    Tie("norm.mean", "norm.running_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "blocks.{0..15}.norm{1..2}.running_mean"),
    Tie("block{1..16}.norm3.mean", "blocks.{0..15}.norm3.running_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "blocks.{0,3,7,13}.shortcut_norm.running_mean"),
    Tie("norm.variance", "norm.running_var"),
    Tie("block{1..16}.norm{1..2}.variance", "blocks.{0..15}.norm{1..2}.running_var"),
    Tie("block{1..16}.norm3.variance", "blocks.{0..15}.norm3.running_var"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "blocks.{0,3,7,13}.shortcut_norm.running_var"),
]
