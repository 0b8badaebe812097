"""The axis of channels on each back end of Keras 2, and corrected layers."""

from functools import reduce

import numpy as np
from keras import backend as K
from keras import layers
from keras.utils import get_custom_objects

from rosetta_worker.runtimes import keras2 as runtime  # noqa: F401 (it sets the image format)
from rosetta_worker.tensors import CHANNELS_LAST, Transform, permute

FIRST = K.image_data_format() == "channels_first"

CHANNELS = 1 if FIRST else -1
"""The axis of the channels."""


def image(channels, height, width):
    """Return the shape of an image."""
    return (channels, height, width) if FIRST else (height, width, channels)


def arranged(images):
    """Return (n, channels, height, width) images in the layout of the back end."""
    return images if FIRST else images.transpose(0, 2, 3, 1)


class turned(Transform):
    """Kernels (height, width, in, out) with the order of rows and of columns reversed."""

    def forward(self, arrays):
        return [np.ascontiguousarray(array[::-1, ::-1]) for array in arrays]

    backward = forward


KERNEL = {"mxnet": (permute(0, 1, 2, 3),), "theano": (CHANNELS_LAST, turned())}.get(K.backend(), (CHANNELS_LAST,))
"""Transforms from a canonical convolution kernel, (out, in, height, width), to that of the back end.

Keras' kernels are (height, width, in, out) for any image format, except on MXNet, which uses the canonical layout.
Theano needs reversed kernels, since its conv2d is a convolution, where other frameworks compute a correlation
(docs/findings.md).
"""


def rectify(x):
    """ReLU with the derivative 0 at 0. Theano's has ½, and so has Keras' on Theano (docs/findings.md)."""
    from theano.tensor import switch

    return switch(x > 0, x, 0)


RELU = "rectify" if K.backend() == "theano" else "relu"
"""The name of the ReLU activation."""

get_custom_objects()["rectify"] = rectify


LEAST = float(np.nextafter(np.float32(1e-5), np.float32(1)))
"""The least epsilon that Theano accepts."""


class BatchNormalization(layers.BatchNormalization):
    """Keras' own, but running means average the mean and variance that normalise, starting from their initial values.

    By back end, Keras 2 does the following instead (docs/findings.md):

    - on TensorFlow, running means are divided by 1 - momentum^t, as if they had started at zero, and a variance is
      multiplied by n / (n - 1) twice; on Theano it is multiplied once, and includes epsilon;
    - on MXNet, the scale is fixed at 1, and not trained.

    Theano also refuses an epsilon of 1e-5, which in float32 is slightly less than the 1e-5 that it requires.
    """

    def __init__(self, **arguments):
        super(BatchNormalization, self).__init__(**arguments)
        if K.backend() == "theano":
            self.epsilon = max(self.epsilon, LEAST)

    def call(self, inputs, training=None):
        if K.backend() == "mxnet":
            return mxnet_batch_normalization(self, inputs)
        axes = [axis for axis in range(K.ndim(inputs)) if axis != self.axis % K.ndim(inputs)]
        normed, mean, variance = K.normalize_batch_in_training(
            inputs, self.gamma, self.beta, axes, epsilon=self.epsilon
        )
        variance = as_normalised_by(self, variance, inputs, axes)
        kept = ((self.moving_mean, mean), (self.moving_variance, variance))
        self.add_update([(old, old * self.momentum + new * (1.0 - self.momentum)) for old, new in kept], inputs)
        return K.in_train_phase(normed, lambda: self.normalised_by_kept(inputs), training=training)

    def normalised_by_kept(self, inputs):
        """Return the inputs, normalised by the running means."""
        tensors = self.moving_mean, self.moving_variance, self.beta, self.gamma
        if self.axis % K.ndim(inputs) != K.ndim(inputs) - 1:
            shape = [1] * K.ndim(inputs)
            shape[self.axis] = K.int_shape(inputs)[self.axis]
            tensors = [K.reshape(tensor, shape) for tensor in tensors]
        return K.batch_normalization(inputs, *tensors, axis=self.axis, epsilon=self.epsilon)


def as_normalised_by(layer, variance, inputs, axes):
    """Return the variance that normalised a batch, from the variance that the back end reports."""
    if K.backend() == "tensorflow" and K.ndim(inputs) == 4:  # the fused kernel reports it times n / (n - 1)
        count = K.cast(K.prod([K.shape(inputs)[axis] for axis in axes]), K.floatx())
        return variance * (1.0 - 1.0 / count)
    return variance - layer.epsilon if K.backend() == "theano" else variance


def mxnet_batch_normalization(layer, inputs):
    """Return MXNet's own normalisation with the layer's scale. Keras uses MXNet's default, a fixed scale of 1."""
    import mxnet as mx
    from keras.backend.mxnet_backend import KerasSymbol, keras_mxnet_symbol

    @keras_mxnet_symbol
    def normalised(inputs, *tensors):
        symbols = [tensor.symbol for tensor in tensors]
        options = {"momentum": layer.momentum, "eps": layer.epsilon, "axis": layer.axis, "fix_gamma": False}
        return KerasSymbol(mx.sym.BatchNorm(inputs.symbol, *symbols, **options))

    return normalised(inputs, layer.gamma, layer.beta, layer.moving_mean, layer.moving_variance)


class MaxPooling2D(layers.MaxPooling2D):
    """Keras' own, for images of a known size without padding, with the same gradient as in other frameworks.

    - On MXNet 1.4 the gradient is lost: the backward pass compares the pool's inputs with its outputs, but the memory
      of the inputs has been overwritten. A leaky ReLU of slope 1 changes nothing, and keeps its result.
    - On Theano the whole gradient goes to each of several equal maxima. Here, only the first one receives it.
    """

    def call(self, inputs):
        if K.backend() == "theano":
            return reduce(lambda first, other: K.switch(first >= other, first, other), self.parts(inputs))
        return super(MaxPooling2D, self).call(K.relu(inputs, alpha=1.0) if K.backend() == "mxnet" else inputs)

    def parts(self, inputs):
        """Return the first number of each square of the pooling, the second of each, and so on, with channels first."""
        height, width = self.compute_output_shape(K.int_shape(inputs))[2:]
        (rows, columns), (down, right) = self.pool_size, self.strides
        return [
            inputs[:, :, row : row + down * height : down, column : column + right * width : right]
            for row in range(rows)
            for column in range(columns)
        ]
