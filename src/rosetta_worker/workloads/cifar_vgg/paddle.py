"""cifar-vgg in PaddlePaddle."""

from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import Momentum

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2D(50, 50, kernel_size=3, padding=1)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2D(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2D(100, 100, kernel_size=3, padding=1)
        self.dropout2 = nn.Dropout(0.25)
        self.hidden = nn.Linear(6400, 512)
        self.dropout3 = nn.Dropout(0.5)
        self.output = nn.Linear(512, 10)

    def forward(self, images):
        x = F.relu(self.conv1(images))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = self.dropout1(x)
        x = F.relu(self.conv3(x))
        x = F.relu(F.max_pool2d(self.conv4(x), 2))
        x = self.dropout2(x)
        x = x.flatten(1)
        x = F.relu(self.hidden(x))
        x = self.dropout3(x)
        return self.output(x)


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Momentum(hyper.learning_rate, hyper.momentum, model.parameters())


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.weight"),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.weight"),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.weight", TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
