"""fashion-cnn in MLX."""

from mlx import nn
from mlx.optimizers import Adam

from rosetta_worker.tensors import Tie, flatten_last, permute


class Model(nn.Module):
    """Images (n, 28, 28, 1) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 64, kernel_size=3)
        self.conv2 = nn.Conv2d(64, 32, kernel_size=3)
        self.output = nn.Linear(18432, 10)

    def __call__(self, images):
        x = nn.relu(self.conv1(images))
        x = nn.relu(self.conv2(x))
        x = x.flatten(1)
        return self.output(x)


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, bias_correction=True)


KERNEL = permute(0, 2, 3, 1)  # (out, height, width, in)

TENSORS = [
    Tie("conv1.kernel", "conv1.weight", KERNEL),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight", KERNEL),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.weight", flatten_last(32, 24, 24)),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
