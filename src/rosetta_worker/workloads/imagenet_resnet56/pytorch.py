"""imagenet-resnet56 in PyTorch."""

from torch import nn
from torch.nn import functional as F

from rosetta_worker.layers.resnet56.pytorch import STATE, TRUNK_TENSORS, Trunk, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(Trunk):
    """Images (n, 3, 256, 256) to logits (n, 1000)."""

    def __init__(self):
        super().__init__()
        self.output = nn.Linear(4096, 1000)

    def forward(self, images):
        x = self.features(images)
        x = F.avg_pool2d(x, 8).flatten(1)
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
