"""Lasagne's convolution, ReLU and max pooling, made those of everybody else (docs/findings.md)."""

from functools import partial, reduce

from lasagne import layers
from theano.tensor import switch
from theano.tensor.nnet import conv2d

correlate = partial(conv2d, filter_flip=False)
"""What a layer's `convolution` is to be: Lasagne's is the mathematician's, which flips the kernel."""


def rectify(x):
    """ReLU with the derivative 0 at 0; Lasagne's and Theano's have ½."""
    return switch(x > 0, x, 0)


class MaxPool2DLayer(layers.MaxPool2DLayer):
    """Hands the gradient to the first of equal numbers; Theano's hands the whole of it to each of them.

    For squares that do not overlap and that leave nothing over.
    """

    def get_output_for(self, input, **kwargs):
        rows, columns = self.pool_size
        parts = [input[:, :, row::rows, column::columns] for row in range(rows) for column in range(columns)]
        return reduce(lambda first, other: switch(first >= other, first, other), parts)
