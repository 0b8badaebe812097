"""imagenet-resnet56 in MXNet's Module."""

from mxnet import sym

from rosetta_worker.layers.resnet56.mxnet_module import STATE, TRUNK_TENSORS, features, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 3, 256, 256) to logits (n, 1000)."""

    shape = (3, 256, 256)  # of one image: Module allocates memory beforehand

    def __call__(self, images):
        x = features(images)
        x = sym.flatten(sym.Pooling(x, kernel=(8, 8), stride=(8, 8), pool_type="avg"))
        return sym.FullyConnected(x, num_hidden=1000, name="output")


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
