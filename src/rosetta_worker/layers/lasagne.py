"""Lasagne's convolution, ReLU and max pooling, changed to those of other frameworks (docs/findings.md)."""

from functools import partial, reduce

from lasagne import layers
from theano.tensor import switch
from theano.tensor.nnet import conv2d

correlate = partial(conv2d, filter_flip=False)
"""The value for a layer's `convolution`. Lasagne's default is the mathematical convolution, which flips the kernel."""


def rectify(x):
    """ReLU with the derivative 0 at 0; in Lasagne and Theano it is ½."""
    return switch(x > 0, x, 0)


class MaxPool2DLayer(layers.MaxPool2DLayer):
    """Passes the gradient to the first of equal maxima; Theano's pool passes the whole gradient to each of them.

    Only for squares that do not overlap and that cover the image.
    """

    def get_output_for(self, input, **kwargs):
        rows, columns = self.pool_size
        parts = [input[:, :, row::rows, column::columns] for row in range(rows) for column in range(columns)]
        return reduce(lambda first, other: switch(first >= other, first, other), parts)
