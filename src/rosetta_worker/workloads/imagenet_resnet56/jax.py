"""imagenet-resnet56 in JAX: Flax NNX and Optax."""

from flax import nnx

from rosetta_worker.layers.resnet56.jax import STATE, TRUNK_TENSORS, Trunk, arrange, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import TRANSPOSE, Tie, flatten_last


class Model(Trunk):
    """Images (n, 256, 256, 3) to logits (n, 1000)."""

    def __init__(self, rngs):
        super().__init__(rngs)
        self.output = nnx.Linear(4096, 1000, rngs=rngs)

    def __call__(self, images):
        x = self.features(images)
        x = nnx.avg_pool(x, window_shape=(8, 8), strides=(8, 8)).reshape(len(x), -1)
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.kernel", flatten_last(64, 8, 8), TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
