"""chestxray-densenet121 in PyTorch."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import Adam

from rosetta_worker.tensors import Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


class BatchNorm(nn.BatchNorm2d):
    """The running variance averages the normalising variance; PyTorch's own averages n / (n - 1) times that."""

    def forward(self, x):
        if not self.training:
            return super().forward(x)
        n = x.numel() // x.shape[1]
        unbiased = self.running_var.clone()
        y = F.batch_norm(x, self.running_mean, unbiased, self.weight, self.bias, True, self.momentum, self.eps)
        self.running_var.mul_((1 - self.momentum) / n).add_(unbiased, alpha=1 - 1 / n)
        return y


def norm(channels):
    return BatchNorm(channels, eps=1e-5, momentum=0.1)  # the weight of the new value


class Layer(nn.Module):
    """Append 32 feature maps to the input."""

    def __init__(self, inputs):
        super().__init__()
        self.norm1 = norm(inputs)
        self.conv1 = nn.Conv2d(inputs, 128, kernel_size=1, bias=False)
        self.norm2 = norm(128)
        self.conv2 = nn.Conv2d(128, 32, kernel_size=3, padding=1, bias=False)

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(x)))
        y = self.conv2(F.relu(self.norm2(y)))
        return torch.cat((x, y), 1)


class Transition(nn.Module):
    """Halve the number of maps, and their height and width."""

    def __init__(self, inputs):
        super().__init__()
        self.norm = norm(inputs)
        self.conv = nn.Conv2d(inputs, inputs // 2, kernel_size=1, bias=False)

    def forward(self, x):
        return F.avg_pool2d(self.conv(F.relu(self.norm(x))), 2)


class Model(nn.Module):
    """Images (n, 3, 224, 224) to logits (n, 14)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.norm = norm(64)
        self.stack = nn.ModuleList()
        self.transitions = nn.ModuleList()
        channels = 64
        for number in range(58):
            if number in SMALLER:
                self.transitions.append(Transition(channels))
                channels //= 2
            self.stack.append(Layer(channels))
            channels += 32
        self.final = norm(channels)
        self.output = nn.Linear(channels, 14)

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = F.max_pool2d(x, kernel_size=3, stride=2, padding=1)
        for number, layer in enumerate(self.stack):
            if number in SMALLER:
                x = self.transitions[SMALLER.index(number)](x)
            x = layer(x)
        x = F.relu(self.final(x)).mean((2, 3))
        return self.output(x)


def loss(logits, labels):
    return F.binary_cross_entropy_with_logits(logits, labels)


def optimizer(model, hyper):
    return Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem.weight"),
    Tie("layer{1..58}.conv{1..2}.kernel", "stack.{0..57}.conv{1..2}.weight"),
    Tie("transition{1..3}.kernel", "transitions.{0..2}.conv.weight"),
    Tie("norm.scale", "norm.weight"),
    Tie("norm.shift", "norm.bias"),
    Tie("layer{1..58}.norm{1..2}.scale", "stack.{0..57}.norm{1..2}.weight"),
    Tie("layer{1..58}.norm{1..2}.shift", "stack.{0..57}.norm{1..2}.bias"),
    Tie("transition{1..3}.norm.scale", "transitions.{0..2}.norm.weight"),
    Tie("transition{1..3}.norm.shift", "transitions.{0..2}.norm.bias"),
    Tie("final.scale", "final.weight"),
    Tie("final.shift", "final.bias"),
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
