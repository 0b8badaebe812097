"""imagenet-resnet56 in MXNet Gluon."""

from mxnet.gluon import nn

from rosetta_worker.layers.resnet56.mxnet_gluon import STATE, TRUNK_TENSORS, Trunk, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(Trunk):
    """Images (n, 3, 256, 256) to logits (n, 1000)."""

    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2D(8)
        self.output = nn.Dense(1000, in_units=4096)  # flattens its input

    def hybrid_forward(self, F, images):
        x = self.features(F, images)
        x = self.pool(x)
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
