"""resnet50-features in Chainer."""

from chainer import Chain, ChainList
from chainer import functions as F
from chainer import links as L

from rosetta_worker.tensors import Tie


def norm(channels):
    return L.BatchNormalization(channels, eps=1e-5)


class Block(Chain):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.first = inputs != 4 * channels
        with self.init_scope():
            self.conv1 = L.Convolution2D(inputs, channels, ksize=1, nobias=True)
            self.norm1 = norm(channels)
            self.conv2 = L.Convolution2D(channels, channels, ksize=3, stride=stride, pad=1, nobias=True)
            self.norm2 = norm(channels)
            self.conv3 = L.Convolution2D(channels, 4 * channels, ksize=1, nobias=True)
            self.norm3 = norm(4 * channels)
            if self.first:
                self.shortcut = L.Convolution2D(inputs, 4 * channels, ksize=1, stride=stride, nobias=True)
                self.shortcut_norm = norm(4 * channels)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = F.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return F.relu(x + y)


class Model(Chain):
    """Images (n, 3, 224, 224) to features (n, 2048)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.stem = L.Convolution2D(3, 64, ksize=7, stride=2, pad=3, nobias=True)
            self.norm = norm(64)
            self.blocks = ChainList()
            inputs = 64
            for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
                for number in range(count):
                    self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                    inputs = 4 * channels

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = F.max_pooling_2d(x, ksize=3, stride=2, pad=1, cover_all=False)
        for block in self.blocks:
            x = block(x)
        return F.mean(x, axis=(2, 3))


TENSORS = [
    Tie("stem.kernel", "stem.W"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.W"),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.W"),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.W"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.W"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.beta"),
]

STATE = [
    Tie("norm.mean", "norm.avg_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "blocks.{0..15}.norm{1..2}.avg_mean"),
    Tie("block{1..16}.norm3.mean", "blocks.{0..15}.norm3.avg_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "blocks.{0,3,7,13}.shortcut_norm.avg_mean"),
    Tie("norm.variance", "norm.avg_var"),
    Tie("block{1..16}.norm{1..2}.variance", "blocks.{0..15}.norm{1..2}.avg_var"),
    Tie("block{1..16}.norm3.variance", "blocks.{0..15}.norm3.avg_var"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "blocks.{0,3,7,13}.shortcut_norm.avg_var"),
]
