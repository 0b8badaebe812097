"""fashion-mlp in Lasagne."""

from functools import partial

from lasagne.layers import DenseLayer, InputLayer
from lasagne.objectives import categorical_crossentropy
from theano.tensor.nnet import softmax

from rosetta_worker.layers.lasagne import rectify
from rosetta_worker.optimizers.lasagne import adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        images = InputLayer((None, 784))
        x = DenseLayer(images, 128, nonlinearity=rectify, name="hidden")
        self.network = DenseLayer(x, 10, nonlinearity=None, name="output")


def loss(logits, labels):
    return categorical_crossentropy(softmax(logits), labels).mean()  # Theano fuses the two


def optimizer(model, hyper):
    return partial(adam, learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden.W", TRANSPOSE),
    Tie("hidden.bias", "hidden.b"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
