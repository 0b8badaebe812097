"""Keras' batch normalisation, with a variance that keeps its digits on every back end."""

from keras import layers, ops


class BatchNormalization(layers.BatchNormalization):
    """Keras' own. The variance is the mean of squared differences (docs/findings.md).

    On PyTorch that of ops.moments loses digits, and ops.var takes several times as long. It has no gradient by the
    mean, as differences from that sum up to 0.
    """

    def _moments(self, inputs, mask):
        mean = ops.mean(inputs, self._reduction_axes, keepdims=True)
        variance = ops.mean(ops.square(inputs - ops.stop_gradient(mean)), self._reduction_axes)
        return ops.squeeze(mean, self._reduction_axes), variance
