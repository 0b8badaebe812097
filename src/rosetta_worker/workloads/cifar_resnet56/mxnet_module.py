"""cifar-resnet56 in MXNet's Module."""

from mxnet import sym

from rosetta_worker.layers.resnet56.mxnet_module import STATE, TRUNK_TENSORS, features, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    shape = (3, 32, 32)  # of one image: Module allocates memory beforehand

    def __call__(self, images):
        x = features(images)
        x = sym.mean(x, axis=(2, 3))
        return sym.FullyConnected(x, num_hidden=10, name="output")


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
