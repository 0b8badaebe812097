"""ResNet-56 in Chainer, without its last pool and output layer, and how it is trained."""

import chainer
from chainer import Chain, ChainList
from chainer import functions as F
from chainer import links as L

from rosetta_worker.optimizers.chainer import Adam
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
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.stride = stride
        with self.init_scope():
            self.conv1 = L.Convolution2D(inputs, channels, ksize=3, stride=stride, pad=int(stride == 1))
            self.norm1 = norm(channels)
            self.conv2 = L.Convolution2D(channels, channels, ksize=3, pad=1)
            self.norm2 = norm(channels)
            if stride == 2:
                self.shortcut = L.Convolution2D(inputs, channels, ksize=1, stride=stride)

    def forward(self, x):
        y = x if self.stride == 1 else F.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), "constant")  # zeros after
        y = F.relu(self.norm1(self.conv1(y)))
        y = self.norm2(self.conv2(y))
        if self.stride == 2:
            x = self.shortcut(x)
        return F.relu(x + y)


class Trunk(Chain):
    """The stem and 27 blocks: images (n, 3, height, width) to features (n, 64, height / 4, width / 4)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.stem = L.Convolution2D(3, 16, ksize=3, pad=1)
            self.norm = norm(16)
            self.blocks = ChainList()
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
    return F.softmax_cross_entropy(logits, labels)


def penalty(model):
    kernels = [tensor for tensor in model.params() if tensor.ndim > 1]
    return 1e-4 * sum(F.sum(F.square(kernel)) for kernel in kernels)


def optimizer(model, hyper):
    return Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.W"),
    Tie("stem.bias", "stem.b"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..27}.conv{1..2}.kernel", "blocks.{0..26}.conv{1..2}.W"),
    Tie("block{1..27}.conv{1..2}.bias", "blocks.{0..26}.conv{1..2}.b"),
    Tie("block{1..27}.norm1.scale", "blocks.{0..26}.norm1.gamma"),
    Tie("block{1..27}.norm2.scale", "blocks.{0..26}.norm2.gamma"),
    Tie("block{1..27}.norm1.shift", "blocks.{0..26}.norm1.beta"),
    Tie("block{1..27}.norm2.shift", "blocks.{0..26}.norm2.beta"),
    Tie("block10.shortcut.kernel block19.shortcut.kernel", "blocks.9.shortcut.W blocks.18.shortcut.W"),
    Tie("block10.shortcut.bias block19.shortcut.bias", "blocks.9.shortcut.b blocks.18.shortcut.b"),
]

STATE = [
    Tie("norm.mean", "norm.avg_mean"),
    Tie("block{1..27}.norm{1..2}.mean", "blocks.{0..26}.norm{1..2}.avg_mean"),
    Tie("norm.variance", "norm.avg_var"),
    Tie("block{1..27}.norm{1..2}.variance", "blocks.{0..26}.norm{1..2}.avg_var"),
]
