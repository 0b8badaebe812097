"""fashion-cnn in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie, flatten_last


class Model(nnx.Module):
    """Images (n, 28, 28, 1) to logits (n, 10)."""

    def __init__(self, rngs):
        self.conv1 = nnx.Conv(1, 64, kernel_size=(3, 3), padding="VALID", rngs=rngs)
        self.conv2 = nnx.Conv(64, 32, kernel_size=(3, 3), padding="VALID", rngs=rngs)
        self.output = nnx.Linear(18432, 10, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.conv1(images))
        x = nnx.relu(self.conv2(x))
        x = x.reshape(len(x), -1)
        return self.output(x)


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("conv1.kernel", "conv1.kernel", CHANNELS_LAST),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.kernel", CHANNELS_LAST),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.kernel", flatten_last(32, 24, 24), TRANSPOSE),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
