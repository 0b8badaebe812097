"""cifar-vgg in Lasagne."""

from functools import partial

from lasagne.layers import Conv2DLayer, DenseLayer, DropoutLayer, InputLayer, NonlinearityLayer
from lasagne.objectives import categorical_crossentropy
from lasagne.updates import momentum
from theano.tensor.nnet import softmax

from rosetta_worker.layers.lasagne import MaxPool2DLayer, correlate, rectify
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        images = InputLayer((None, 3, 32, 32))
        x = Conv2DLayer(images, 50, 3, pad=1, nonlinearity=rectify, convolution=correlate, name="conv1")
        x = Conv2DLayer(x, 50, 3, pad=1, nonlinearity=None, convolution=correlate, name="conv2")
        x = NonlinearityLayer(MaxPool2DLayer(x, 2), rectify)
        x = DropoutLayer(x, 0.25)
        x = Conv2DLayer(x, 100, 3, pad=1, nonlinearity=rectify, convolution=correlate, name="conv3")
        x = Conv2DLayer(x, 100, 3, pad=1, nonlinearity=None, convolution=correlate, name="conv4")
        x = NonlinearityLayer(MaxPool2DLayer(x, 2), rectify)
        x = DropoutLayer(x, 0.25)
        x = DenseLayer(x, 512, nonlinearity=rectify, name="hidden")  # flattens, channel by channel
        x = DropoutLayer(x, 0.5)
        self.network = DenseLayer(x, 10, nonlinearity=None, name="output")


def loss(logits, labels):
    return categorical_crossentropy(softmax(logits), labels).mean()  # Theano fuses the two


def optimizer(model, hyper):
    # v includes the rate: equivalent while the rate is constant
    return partial(momentum, learning_rate=hyper.learning_rate, momentum=hyper.momentum)


TENSORS = [
    Tie("conv1.kernel", "conv1.W"),
    Tie("conv1.bias", "conv1.b"),
    Tie("conv2.kernel", "conv2.W"),
    Tie("conv2.bias", "conv2.b"),
    Tie("conv3.kernel", "conv3.W"),
    Tie("conv3.bias", "conv3.b"),
    Tie("conv4.kernel", "conv4.W"),
    Tie("conv4.bias", "conv4.b"),
    Tie("hidden.kernel", "hidden.W", TRANSPOSE),
    Tie("hidden.bias", "hidden.b"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
