"""fashion-mlp in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nnx.Module):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self, rngs):
        self.hidden = nnx.Linear(784, 128, rngs=rngs)
        self.output = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.hidden(images))
        return self.output(x)


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("hidden.kernel", "hidden.kernel", TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
