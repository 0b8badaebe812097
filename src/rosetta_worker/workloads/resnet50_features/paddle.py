"""resnet50-features in PaddlePaddle."""

from paddle import nn
from paddle.nn import functional as F

from rosetta_worker.tensors import Tie


def norm(channels):
    return nn.BatchNorm2D(channels, epsilon=1e-5)


class Block(nn.Layer):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2D(inputs, channels, kernel_size=1, bias_attr=False)
        self.norm1 = norm(channels)
        self.conv2 = nn.Conv2D(channels, channels, kernel_size=3, stride=stride, padding=1, bias_attr=False)
        self.norm2 = norm(channels)
        self.conv3 = nn.Conv2D(channels, 4 * channels, kernel_size=1, bias_attr=False)
        self.norm3 = norm(4 * channels)
        self.first = inputs != 4 * channels
        if self.first:
            self.shortcut = nn.Conv2D(inputs, 4 * channels, kernel_size=1, stride=stride, bias_attr=False)
            self.shortcut_norm = norm(4 * channels)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = F.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return F.relu(x + y)


class Model(nn.Layer):
    """Images (n, 3, 224, 224) to features (n, 2048)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(3, 64, kernel_size=7, stride=2, padding=3, bias_attr=False)
        self.norm = norm(64)
        self.blocks = nn.LayerList()
        inputs = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                inputs = 4 * channels

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = F.max_pool2d(x, kernel_size=3, stride=2, padding=1)
        for block in self.blocks:
            x = block(x)
        return x.mean([2, 3])


TENSORS = [
    Tie("stem.kernel", "stem.weight"),
    Tie("norm.scale", "norm.weight"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.weight"),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.weight"),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.weight"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.weight"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.weight"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.bias"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.bias"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.weight"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.weight"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.bias"),
]

STATE = [
    Tie("norm.mean", "norm._mean"),
    Tie("block{1..16}.norm{1..2}.mean", "blocks.{0..15}.norm{1..2}._mean"),
    Tie("block{1..16}.norm3.mean", "blocks.{0..15}.norm3._mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "blocks.{0,3,7,13}.shortcut_norm._mean"),
    Tie("norm.variance", "norm._variance"),
    Tie("block{1..16}.norm{1..2}.variance", "blocks.{0..15}.norm{1..2}._variance"),
    Tie("block{1..16}.norm3.variance", "blocks.{0..15}.norm3._variance"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "blocks.{0,3,7,13}.shortcut_norm._variance"),
]
