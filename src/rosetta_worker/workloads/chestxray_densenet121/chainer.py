"""chestxray-densenet121 in Chainer."""

import chainer
from chainer import Chain, ChainList
from chainer import functions as F
from chainer import links as L

from rosetta_worker.optimizers.chainer import Adam
from rosetta_worker.tensors import Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


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
    return BatchNorm(channels, decay=0.9, eps=1e-5)


class Layer(Chain):
    """Append 32 feature maps to the input."""

    def __init__(self, inputs):
        super().__init__()
        with self.init_scope():
            self.norm1 = norm(inputs)
            self.conv1 = L.Convolution2D(inputs, 128, ksize=1, nobias=True)
            self.norm2 = norm(128)
            self.conv2 = L.Convolution2D(128, 32, ksize=3, pad=1, nobias=True)

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(x)))
        y = self.conv2(F.relu(self.norm2(y)))
        return F.concat((x, y), axis=1)


class Transition(Chain):
    """Halve the number of maps, and their height and width."""

    def __init__(self, inputs):
        super().__init__()
        with self.init_scope():
            self.norm = norm(inputs)
            self.conv = L.Convolution2D(inputs, inputs // 2, ksize=1, nobias=True)

    def forward(self, x):
        return F.average_pooling_2d(self.conv(F.relu(self.norm(x))), 2)


class Model(Chain):
    """Images (n, 3, 224, 224) to logits (n, 14)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.stem = L.Convolution2D(3, 64, ksize=7, stride=2, pad=3, nobias=True)
            self.norm = norm(64)
            self.stack = ChainList()
            self.transitions = ChainList()
            channels = 64
            for number in range(58):
                if number in SMALLER:
                    self.transitions.append(Transition(channels))
                    channels //= 2
                self.stack.append(Layer(channels))
                channels += 32
            self.final = norm(channels)
            self.output = L.Linear(channels, 14)

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = F.max_pooling_2d(x, ksize=3, stride=2, pad=1, cover_all=False)
        for number, layer in enumerate(self.stack):
            if number in SMALLER:
                x = self.transitions[SMALLER.index(number)](x)
            x = layer(x)
        x = F.mean(F.relu(self.final(x)), axis=(2, 3))
        return self.output(x)


def loss(logits, labels):
    return F.sigmoid_cross_entropy(logits, labels.astype("int32"))  # it takes no others


def optimizer(model, hyper):
    return Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)


TENSORS = [
    Tie("stem.kernel", "stem.W"),
    Tie("layer{1..58}.conv{1..2}.kernel", "stack.{0..57}.conv{1..2}.W"),
    Tie("transition{1..3}.kernel", "transitions.{0..2}.conv.W"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("layer{1..58}.norm{1..2}.scale", "stack.{0..57}.norm{1..2}.gamma"),
    Tie("layer{1..58}.norm{1..2}.shift", "stack.{0..57}.norm{1..2}.beta"),
    Tie("transition{1..3}.norm.scale", "transitions.{0..2}.norm.gamma"),
    Tie("transition{1..3}.norm.shift", "transitions.{0..2}.norm.beta"),
    Tie("final.scale", "final.gamma"),
    Tie("final.shift", "final.beta"),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]

STATE = [
    Tie("norm.mean", "norm.avg_mean"),
    Tie("norm.variance", "norm.avg_var"),
    Tie("layer{1..58}.norm{1..2}.mean", "stack.{0..57}.norm{1..2}.avg_mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "stack.{0..57}.norm{1..2}.avg_var"),
    Tie("transition{1..3}.norm.mean", "transitions.{0..2}.norm.avg_mean"),
    Tie("transition{1..3}.norm.variance", "transitions.{0..2}.norm.avg_var"),
    Tie("final.mean", "final.avg_mean"),
    Tie("final.variance", "final.avg_var"),
]
