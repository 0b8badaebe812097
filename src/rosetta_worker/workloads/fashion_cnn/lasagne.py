"""fashion-cnn in Lasagne."""

from functools import partial

from lasagne.layers import Conv2DLayer, DenseLayer, InputLayer
from lasagne.objectives import categorical_crossentropy
from theano.tensor.nnet import softmax

from rosetta_worker.layers.lasagne import correlate, rectify
from rosetta_worker.optimizers.lasagne import adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        images = InputLayer((None, 1, 28, 28))
        x = Conv2DLayer(images, 64, 3, nonlinearity=rectify, convolution=correlate, name="conv1")
        x = Conv2DLayer(x, 32, 3, nonlinearity=rectify, convolution=correlate, name="conv2")
        self.network = DenseLayer(x, 10, nonlinearity=None, name="output")  # flattens, channel by channel


def loss(logits, labels):
    return categorical_crossentropy(softmax(logits), labels).mean()  # Theano fuses the two


def optimizer(model, hyper):
    return partial(adam, learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1.W"),
    Tie("conv1.bias", "conv1.b"),
    Tie("conv2.kernel", "conv2.W"),
    Tie("conv2.bias", "conv2.b"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
