"""fashion-cnn in PaddlePaddle."""

from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import Adam

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(1, 64, kernel_size=3)
        self.conv2 = nn.Conv2D(64, 32, kernel_size=3)
        self.output = nn.Linear(18432, 10)

    def forward(self, images):
        x = F.relu(self.conv1(images))
        x = F.relu(self.conv2(x))
        x = x.flatten(1)
        return self.output(x)


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters())


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.weight", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
