"""fashion-mlp in PyTorch."""

from torch import nn
from torch.nn import functional as F
from torch.optim import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(784, 128)
        self.output = nn.Linear(128, 10)

    def forward(self, images):
        x = F.relu(self.hidden(images))
        return self.output(x)


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden.weight"),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
