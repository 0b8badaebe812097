"""fashion-cnn in PyTorch."""

from torch import nn
from torch.nn import functional as F
from torch.optim import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 64, kernel_size=3)
        self.conv2 = nn.Conv2d(64, 32, kernel_size=3)
        self.output = nn.Linear(18432, 10)

    def forward(self, images):
        x = F.relu(self.conv1(images))
        x = F.relu(self.conv2(x))
        x = x.flatten(1)
        return self.output(x)


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
