"""Where Keras 2 keeps the channels, by back end, and a few of its layers, put right."""

from functools import reduce

import numpy as np
from keras import backend as K
from keras import layers
from keras.utils import get_custom_objects

from rosetta_worker.runtimes import keras2 as runtime  # noqa: F401 (it has chosen where channels are)
from rosetta_worker.tensors import CHANNELS_LAST, Transform, permute

FIRST = K.image_data_format() == "channels_first"

CHANNELS = 1 if FIRST else -1
"""The axis of the channels."""


def image(channels, height, width):
    """Return the shape of an image."""
    return (channels, height, width) if FIRST else (height, width, channels)


def arranged(images):
    """Return (n, channels, height, width) images as the back end takes them."""
    return images if FIRST else images.transpose(0, 2, 3, 1)


class turned(Transform):
    """Kernels (height, width, in, out) become those that give the same with rows and columns counted from the end."""

    def forward(self, arrays):
        return [np.ascontiguousarray(array[::-1, ::-1]) for array in arrays]

    backward = forward


KERNEL = {"mxnet": (permute(0, 1, 2, 3),), "theano": (CHANNELS_LAST, turned())}.get(K.backend(), (CHANNELS_LAST,))
"""What leads to a convolution's kernel, (out, in, height, width), as the back end takes it.

It is (height, width, in, out) whatever the images are, but on MXNet as here; and Theano turns it around, since its
conv2d is a convolution, where all others correlate (docs/findings.md).
"""


def rectify(x):
    """ReLU with the derivative 0 at 0: Theano's, and so Keras' on it, has ½ (docs/findings.md)."""
    from theano.tensor import switch

    return switch(x > 0, x, 0)


RELU = "rectify" if K.backend() == "theano" else "relu"
"""The activation that is a ReLU."""

get_custom_objects()["rectify"] = rectify


LEAST = float(np.nextafter(np.float32(1e-5), np.float32(1)))
"""The least epsilon that Theano takes."""


class BatchNormalization(layers.BatchNormalization):
    """Keras' own, but it keeps running means, from where they begin, of the mean and variance that it normalises by.

    Of what Keras 2 does instead, by back end (docs/findings.md):

    - on TensorFlow running means are divided by 1 - momentum^t, as if they had begun at zero, and a variance is
      multiplied by n / (n - 1) twice; on Theano once, and it has epsilon in it already;
    - on MXNet the scale is taken for 1, and not trained.

    And Theano refuses an epsilon of 1e-5, which in float32 is less than the 1e-5 that it asks for.
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
    """Return the variance that a batch was normalised by, of what the back end says that it was."""
    if K.backend() == "tensorflow" and K.ndim(inputs) == 4:  # the fused kernel says n / (n - 1) times that
        count = K.cast(K.prod([K.shape(inputs)[axis] for axis in axes]), K.floatx())
        return variance * (1.0 - 1.0 / count)
    return variance - layer.epsilon if K.backend() == "theano" else variance


def mxnet_batch_normalization(layer, inputs):
    """Return MXNet's own normalisation with the layer's scale: its default, and so Keras', is a scale of 1."""
    import mxnet as mx
    from keras.backend.mxnet_backend import KerasSymbol, keras_mxnet_symbol

    @keras_mxnet_symbol
    def normalised(inputs, *tensors):
        symbols = [tensor.symbol for tensor in tensors]
        options = {"momentum": layer.momentum, "eps": layer.epsilon, "axis": layer.axis, "fix_gamma": False}
        return KerasSymbol(mx.sym.BatchNorm(inputs.symbol, *symbols, **options))

    return normalised(inputs, layer.gamma, layer.beta, layer.moving_mean, layer.moving_variance)


class MaxPooling2D(layers.MaxPooling2D):
    """Keras' own, for images of a known size that need no padding, with the gradient that all others have.

    - On MXNet 1.4 there is none: on the way back the pooling compares what went in with what came out, and the memory
      of what went in holds something else by then. A leaky ReLU of slope 1 changes nothing, and keeps its result.
    - On Theano it goes to each of several equal numbers as a whole. Here the first of them has it.
    """

    def call(self, inputs):
        if K.backend() == "theano":
            return reduce(lambda first, other: K.switch(first >= other, first, other), self.parts(inputs))
        return super(MaxPooling2D, self).call(K.relu(inputs, alpha=1.0) if K.backend() == "mxnet" else inputs)

    def parts(self, inputs):
        """Return the first number of each square of the pooling, the second of each, and so on: channels are first."""
        height, width = self.compute_output_shape(K.int_shape(inputs))[2:]
        (rows, columns), (down, right) = self.pool_size, self.strides
        return [
            inputs[:, :, row : row + down * height : down, column : column + right * width : right]
            for row in range(rows)
            for column in range(columns)
        ]
