"""cifar-vgg in MLX."""

from mlx import nn
from mlx.optimizers import SGD

from rosetta_worker.tensors import Tie, flatten_last, permute


class Model(nn.Module):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        self.conv1 = nn.Conv2d(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(50, 50, kernel_size=3, padding=1)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2d(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(100, 100, kernel_size=3, padding=1)
        self.dropout2 = nn.Dropout(0.25)
        self.hidden = nn.Linear(6400, 512)
        self.dropout3 = nn.Dropout(0.5)
        self.output = nn.Linear(512, 10)

    def __call__(self, images):
        x = nn.relu(self.conv1(images))
        x = nn.relu(self.pool(self.conv2(x)))
        x = self.dropout1(x)
        x = nn.relu(self.conv3(x))
        x = nn.relu(self.pool(self.conv4(x)))
        x = self.dropout2(x)
        x = x.flatten(1)
        x = nn.relu(self.hidden(x))
        x = self.dropout3(x)
        return self.output(x)


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    return SGD(hyper.learning_rate, hyper.momentum)


KERNEL = permute(0, 2, 3, 1)  # (out, height, width, in)

TENSORS = [
    Tie("conv1.kernel", "conv1.weight", KERNEL),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight", KERNEL),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.weight", KERNEL),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.weight", KERNEL),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.weight", flatten_last(100, 8, 8)),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
