"""cifar-vgg in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie, flatten_last


class Model(nnx.Module):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self, rngs):
        self.conv1 = nnx.Conv(3, 50, kernel_size=(3, 3), padding=1, rngs=rngs)
        self.conv2 = nnx.Conv(50, 50, kernel_size=(3, 3), padding=1, rngs=rngs)
        self.dropout1 = nnx.Dropout(0.25, rngs=rngs)
        self.conv3 = nnx.Conv(50, 100, kernel_size=(3, 3), padding=1, rngs=rngs)
        self.conv4 = nnx.Conv(100, 100, kernel_size=(3, 3), padding=1, rngs=rngs)
        self.dropout2 = nnx.Dropout(0.25, rngs=rngs)
        self.hidden = nnx.Linear(6400, 512, rngs=rngs)
        self.dropout3 = nnx.Dropout(0.5, rngs=rngs)
        self.output = nnx.Linear(512, 10, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.conv1(images))
        x = nnx.relu(nnx.max_pool(self.conv2(x), window_shape=(2, 2), strides=(2, 2)))
        x = self.dropout1(x)
        x = nnx.relu(self.conv3(x))
        x = nnx.relu(nnx.max_pool(self.conv4(x), window_shape=(2, 2), strides=(2, 2)))
        x = self.dropout2(x)
        x = x.reshape(len(x), -1)
        x = nnx.relu(self.hidden(x))
        x = self.dropout3(x)
        return self.output(x)


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    return nnx.Optimizer(model, optax.sgd(hyper.learning_rate, hyper.momentum), wrt=nnx.Param)


TENSORS = [
    Tie("conv1.kernel", "conv1.kernel", CHANNELS_LAST),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.kernel", CHANNELS_LAST),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.kernel", CHANNELS_LAST),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.kernel", CHANNELS_LAST),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.kernel", flatten_last(100, 8, 8), TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
