"""resnet50-synthetic in Chainer."""

import chainer
from chainer import Chain, ChainList
from chainer import functions as F
from chainer import links as L
from chainer.optimizers import RMSprop

from rosetta_worker.tensors import Tie


class BatchNorm(L.BatchNormalization):
    """The running variance averages the normalising variance; Chainer's own averages n / (n - 1) times that."""

    def forward(self, x):
        kept = self.decay * self.avg_var
        y = super().forward(x)
        if chainer.config.train:
            n = x.size // x.shape[1]
            self.avg_var += (kept - self.avg_var) / n
        return y


def norm(channels):
    return BatchNorm(channels, decay=0.99, eps=1e-3)


class Block(Chain):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.first = inputs != 4 * channels
        with self.init_scope():
            self.conv1 = L.Convolution2D(inputs, channels, ksize=1, stride=stride)
            self.norm1 = norm(channels)
            self.conv2 = L.Convolution2D(channels, channels, ksize=3, pad=1)
            self.norm2 = norm(channels)
            self.conv3 = L.Convolution2D(channels, 4 * channels, ksize=1)
            self.norm3 = norm(4 * channels)
            if self.first:
                self.shortcut = L.Convolution2D(inputs, 4 * channels, ksize=1, stride=stride)
                self.shortcut_norm = norm(4 * channels)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = F.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        if self.first:
            x = self.shortcut_norm(self.shortcut(x))
        return F.relu(x + y)


class Model(Chain):
    """Images (n, 3, 256, 256) to logits (n, 1000)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.stem = L.Convolution2D(3, 64, ksize=7, stride=2, pad=3)
            self.norm = norm(64)
            self.blocks = ChainList()
            inputs = 64
            for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
                for number in range(count):
                    self.blocks.append(Block(inputs, channels, 2 if number == 0 and channels > 64 else 1))
                    inputs = 4 * channels
            self.output = L.Linear(2048, 1000)

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = F.max_pooling_2d(x, ksize=3, stride=2, pad=1, cover_all=False)
        for block in self.blocks:
            x = block(x)
        x = F.mean(x, axis=(2, 3))
        return self.output(x)


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    return RMSprop(lr=hyper.learning_rate, alpha=hyper.rho, eps=hyper.epsilon).setup(model)


TENSORS = [
    Tie("stem.kernel", "stem.W"),
    Tie("stem.bias", "stem.b"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..16}.conv1.kernel", "blocks.{0..15}.conv1.W"),
    Tie("block{1..16}.conv2.kernel", "blocks.{0..15}.conv2.W"),
    Tie("block{1..16}.conv3.kernel", "blocks.{0..15}.conv3.W"),
    Tie("block{1..16}.conv{1..2}.bias", "blocks.{0..15}.conv{1..2}.b"),
    Tie("block{1..16}.conv3.bias", "blocks.{0..15}.conv3.b"),
    Tie("block{1..16}.norm{1..2}.scale", "blocks.{0..15}.norm{1..2}.gamma"),
    Tie("block{1..16}.norm3.scale", "blocks.{0..15}.norm3.gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "blocks.{0..15}.norm{1..2}.beta"),
    Tie("block{1..16}.norm3.shift", "blocks.{0..15}.norm3.beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "blocks.{0,3,7,13}.shortcut.W"),
    Tie("block{1,4,8,14}.shortcut.bias", "blocks.{0,3,7,13}.shortcut.b"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "blocks.{0,3,7,13}.shortcut_norm.gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "blocks.{0,3,7,13}.shortcut_norm.beta"),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
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
