"""cifar-resnet56:halves in PyTorch: each device normalises its own half of a batch."""

from torch import nn

from rosetta_worker.layers.resnet56.pytorch import STATE, TRUNK_TENSORS, Trunk, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(Trunk):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.output = nn.Linear(64, 10)

    def forward(self, images):
        x = self.features(images)
        x = x.mean((2, 3))
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
