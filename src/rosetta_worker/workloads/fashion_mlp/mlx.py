"""fashion-mlp in MLX."""

from mlx import nn
from mlx.optimizers import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(784, 128)
        self.output = nn.Linear(128, 10)

    def __call__(self, images):
        x = nn.relu(self.hidden(images))
        return self.output(x)


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, bias_correction=True)


TENSORS = [
    Tie("hidden.kernel", "hidden.weight"),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
