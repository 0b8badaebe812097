"""ResNet-56 in MXNet Gluon, without its last pool and output layer, and how it is trained."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


def norm(channels):
    return nn.BatchNorm(momentum=0.99, epsilon=1e-3, in_channels=channels)


class Block(gluon.HybridBlock):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.stride = stride
        self.conv1 = nn.Conv2D(channels, kernel_size=3, strides=stride, padding=int(stride == 1), in_channels=inputs)
        self.norm1 = norm(channels)
        self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1, in_channels=channels)
        self.norm2 = norm(channels)
        if stride == 2:
            self.shortcut = nn.Conv2D(channels, kernel_size=1, strides=stride, in_channels=inputs)

    def hybrid_forward(self, F, x):
        y = x if self.stride == 1 else F.pad(x, "constant", (0, 0, 0, 0, 0, 1, 0, 1))  # zeros after, none before
        y = F.Activation(self.norm1(self.conv1(y)), act_type="relu")
        y = self.norm2(self.conv2(y))
        if self.stride == 2:
            x = self.shortcut(x)
        return F.relu(x + y)


class Trunk(gluon.HybridBlock):
    """The stem and 27 blocks: images (n, 3, height, width) to features (n, 64, height / 4, width / 4)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(16, kernel_size=3, padding=1, in_channels=3)
        self.norm = norm(16)
        self.blocks = nn.HybridSequential()
        for channels in (16, 32, 64):
            for number in range(9):
                smaller = number == 0 and channels > 16
                self.blocks.add(Block(channels // 2 if smaller else channels, channels, 2 if smaller else 1))

    def features(self, F, images):
        x = F.Activation(self.norm(self.stem(images)), act_type="relu")
        return self.blocks(x)


def loss(logits, labels):
    # softmax_cross_entropy counts no sample above 18.4, and Gluon's own loss is inexact on the CPU (docs/findings.md).
    logits = logits - logits.max(axis=1, keepdims=True)
    return (nd.log(nd.exp(logits).sum(axis=1)) - nd.pick(logits, labels)).mean()


def penalty(model):
    kernels = [tensor.data() for tensor in model.collect_params().values() if len(tensor.shape) > 1]
    return 1e-4 * nd.add_n(*[nd.sum(nd.square(kernel)) for kernel in kernels])


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.weight"),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..27}.conv{1..2}.kernel", "blocks.{0..26}.conv{1..2}.weight"),
    Tie("block{1..27}.conv{1..2}.bias", "blocks.{0..26}.conv{1..2}.bias"),
    Tie("block{1..27}.norm1.scale", "blocks.{0..26}.norm1.gamma"),
    Tie("block{1..27}.norm2.scale", "blocks.{0..26}.norm2.gamma"),
    Tie("block{1..27}.norm1.shift", "blocks.{0..26}.norm1.beta"),
    Tie("block{1..27}.norm2.shift", "blocks.{0..26}.norm2.beta"),
    Tie("block10.shortcut.kernel block19.shortcut.kernel", "blocks.9.shortcut.weight blocks.18.shortcut.weight"),
    Tie("block10.shortcut.bias block19.shortcut.bias", "blocks.9.shortcut.bias blocks.18.shortcut.bias"),
]

STATE = [
    Tie("norm.mean", "norm.running_mean"),
    Tie("block{1..27}.norm{1..2}.mean", "blocks.{0..26}.norm{1..2}.running_mean"),
    Tie("norm.variance", "norm.running_var"),
    Tie("block{1..27}.norm{1..2}.variance", "blocks.{0..26}.norm{1..2}.running_var"),
]
