"""ResNet-56 in PaddlePaddle, without its last pool and output layer, and how it is trained."""

import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import Adam

from rosetta_worker.tensors import Tie


def norm(channels):
    return nn.BatchNorm2D(channels, momentum=0.99, epsilon=1e-3)


class Block(nn.Layer):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.stride = stride
        self.conv1 = nn.Conv2D(inputs, channels, kernel_size=3, stride=stride, padding=1 if stride == 1 else 0)
        self.norm1 = norm(channels)
        self.conv2 = nn.Conv2D(channels, channels, kernel_size=3, padding=1)
        self.norm2 = norm(channels)
        if stride == 2:
            self.shortcut = nn.Conv2D(inputs, channels, kernel_size=1, stride=stride)

    def forward(self, x):
        y = x if self.stride == 1 else F.pad(x, [0, 1, 0, 1])  # zeros after, none before
        y = F.relu(self.norm1(self.conv1(y)))
        y = self.norm2(self.conv2(y))
        if self.stride == 2:
            x = self.shortcut(x)
        return F.relu(x + y)


class Trunk(nn.Layer):
    """The stem and 27 blocks: images (n, 3, height, width) to features (n, 64, height / 4, width / 4)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(3, 16, kernel_size=3, padding=1)
        self.norm = norm(16)
        self.blocks = nn.LayerList()
        for channels in (16, 32, 64):
            for number in range(9):
                smaller = number == 0 and channels > 16
                self.blocks.append(Block(channels // 2 if smaller else channels, channels, 2 if smaller else 1))

    def features(self, images):
        x = F.relu(self.norm(self.stem(images)))
        for block in self.blocks:
            x = block(x)
        return x


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def penalty(model):
    kernels = [tensor.flatten() for tensor in model.parameters() if tensor.ndim > 1]
    return 1e-4 * paddle.concat(kernels).square().sum()


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters())


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.weight"),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.weight"),
    Tie("norm.shift", "norm.bias"),
    Tie("block{1..27}.conv{1..2}.kernel", "blocks.{0..26}.conv{1..2}.weight"),
    Tie("block{1..27}.conv{1..2}.bias", "blocks.{0..26}.conv{1..2}.bias"),
    Tie("block{1..27}.norm1.scale", "blocks.{0..26}.norm1.weight"),
    Tie("block{1..27}.norm2.scale", "blocks.{0..26}.norm2.weight"),
    Tie("block{1..27}.norm1.shift", "blocks.{0..26}.norm1.bias"),
    Tie("block{1..27}.norm2.shift", "blocks.{0..26}.norm2.bias"),
    Tie("block10.shortcut.kernel block19.shortcut.kernel", "blocks.9.shortcut.weight blocks.18.shortcut.weight"),
    Tie("block10.shortcut.bias block19.shortcut.bias", "blocks.9.shortcut.bias blocks.18.shortcut.bias"),
]

STATE = [
    Tie("norm.mean", "norm._mean"),
    Tie("block{1..27}.norm{1..2}.mean", "blocks.{0..26}.norm{1..2}._mean"),
    Tie("norm.variance", "norm._variance"),
    Tie("block{1..27}.norm{1..2}.variance", "blocks.{0..26}.norm{1..2}._variance"),
]
