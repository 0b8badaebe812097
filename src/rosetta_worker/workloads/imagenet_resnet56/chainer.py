"""imagenet-resnet56 in Chainer."""

from chainer import functions as F
from chainer import links as L

from rosetta_worker.layers.resnet56.chainer import STATE, TRUNK_TENSORS, Trunk, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(Trunk):
    """Images (n, 3, 256, 256) to logits (n, 1000)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.output = L.Linear(4096, 1000)  # flattens its input

    def forward(self, images):
        x = self.features(images)
        x = F.average_pooling_2d(x, 8)
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
