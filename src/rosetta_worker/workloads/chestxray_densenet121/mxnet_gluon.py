"""chestxray-densenet121 in MXNet Gluon."""

from mxnet import gluon
from mxnet.gluon import nn
from mxnet.gluon.loss import SigmoidBinaryCrossEntropyLoss

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


def norm(channels):
    return nn.BatchNorm(momentum=0.9, epsilon=1e-5, in_channels=channels)


class Layer(gluon.HybridBlock):
    """Append 32 feature maps to the input."""

    def __init__(self, inputs):
        super().__init__()
        self.norm1 = norm(inputs)
        self.conv1 = nn.Conv2D(128, kernel_size=1, use_bias=False, in_channels=inputs)
        self.norm2 = norm(128)
        self.conv2 = nn.Conv2D(32, kernel_size=3, padding=1, use_bias=False, in_channels=128)

    def hybrid_forward(self, F, x):
        y = self.conv1(F.Activation(self.norm1(x), act_type="relu"))
        y = self.conv2(F.Activation(self.norm2(y), act_type="relu"))
        return F.concat(x, y, dim=1)


class Transition(gluon.HybridBlock):
    """Halve the number of maps, and their height and width."""

    def __init__(self, inputs):
        super().__init__()
        self.norm = norm(inputs)
        self.conv = nn.Conv2D(inputs // 2, kernel_size=1, use_bias=False, in_channels=inputs)
        self.pool = nn.AvgPool2D(2)

    def hybrid_forward(self, F, x):
        return self.pool(self.conv(F.Activation(self.norm(x), act_type="relu")))


class Model(gluon.HybridBlock):
    """Images (n, 3, 224, 224) to logits (n, 14)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(64, kernel_size=7, strides=2, padding=3, use_bias=False, in_channels=3)
        self.norm = norm(64)
        self.pool = nn.MaxPool2D(3, strides=2, padding=1)
        self.stack = nn.HybridSequential()
        self.transitions = nn.HybridSequential()
        channels = 64
        for number in range(58):
            if number in SMALLER:
                self.transitions.add(Transition(channels))
                channels //= 2
            self.stack.add(Layer(channels))
            channels += 32
        self.final = norm(channels)
        self.output = nn.Dense(14, in_units=channels)

    def hybrid_forward(self, F, images):
        x = F.Activation(self.norm(self.stem(images)), act_type="relu")
        x = self.pool(x)
        for number, layer in enumerate(self.stack):
            if number in SMALLER:
                x = self.transitions[SMALLER.index(number)](x)
            x = layer(x)
        x = F.mean(F.Activation(self.final(x), act_type="relu"), axis=(2, 3))
        return self.output(x)


def loss(logits, labels):
    return SigmoidBinaryCrossEntropyLoss()(logits, labels).mean()


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("stem.kernel", "stem.weight"),
    Tie("layer{1..58}.conv{1..2}.kernel", "stack.{0..57}.conv{1..2}.weight"),
    Tie("transition{1..3}.kernel", "transitions.{0..2}.conv.weight"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("layer{1..58}.norm{1..2}.scale", "stack.{0..57}.norm{1..2}.gamma"),
    Tie("layer{1..58}.norm{1..2}.shift", "stack.{0..57}.norm{1..2}.beta"),
    Tie("transition{1..3}.norm.scale", "transitions.{0..2}.norm.gamma"),
    Tie("transition{1..3}.norm.shift", "transitions.{0..2}.norm.beta"),
    Tie("final.scale", "final.gamma"),
    Tie("final.shift", "final.beta"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]

STATE = [
    Tie("norm.mean", "norm.running_mean"),
    Tie("norm.variance", "norm.running_var"),
    Tie("layer{1..58}.norm{1..2}.mean", "stack.{0..57}.norm{1..2}.running_mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "stack.{0..57}.norm{1..2}.running_var"),
    Tie("transition{1..3}.norm.mean", "transitions.{0..2}.norm.running_mean"),
    Tie("transition{1..3}.norm.variance", "transitions.{0..2}.norm.running_var"),
    Tie("final.mean", "final.running_mean"),
    Tie("final.variance", "final.running_var"),
]
