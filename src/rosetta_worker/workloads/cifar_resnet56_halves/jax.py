"""cifar-resnet56:halves in JAX (Flax NNX and Optax): each device normalises its own half of a batch."""

from flax import nnx

from rosetta_worker.layers.resnet56.jax import STATE, TRUNK_TENSORS, Trunk, arrange, loss, optimizer, penalty  # noqa: F401
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(Trunk):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self, rngs):
        super().__init__(rngs)
        self.output = nnx.Linear(64, 10, rngs=rngs)

    def __call__(self, images):
        x = self.features(images)
        x = x.mean((1, 2))
        return self.output(x)


TENSORS = [
    *TRUNK_TENSORS,
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
