"""cifar-resnet56 in MLX."""

from mlx import nn

from rosetta_worker.layers.resnet56.mlx import STATE, TRUNK_TENSORS, Trunk, arrange, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(Trunk):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.output = nn.Linear(64, 10)

    def __call__(self, images):
        x = self.features(images)
        x = x.mean((1, 2))
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
