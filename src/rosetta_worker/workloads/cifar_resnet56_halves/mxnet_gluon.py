"""cifar-resnet56:halves in MXNet Gluon: each device normalises its own half of a batch."""

from mxnet.gluon import nn

from rosetta_worker.layers.resnet56.mxnet_gluon import STATE, TRUNK_TENSORS, Trunk, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(Trunk):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.output = nn.Dense(10, in_units=64)

    def hybrid_forward(self, F, images):
        x = self.features(F, images)
        x = F.mean(x, axis=(2, 3))
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
