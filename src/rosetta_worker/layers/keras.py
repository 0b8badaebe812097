"""Keras' batch normalisation, with an exact variance on every back end."""

from keras import layers, ops


class BatchNormalization(layers.BatchNormalization):
    """Keras' own, with the variance as the mean of squared differences (docs/findings.md).

    On PyTorch, the variance of ops.moments loses digits, and ops.var takes several times as long. The variance has no
    gradient with respect to the mean, since differences from the mean sum up to 0.
    """

    def _moments(self, inputs, mask):
        mean = ops.mean(inputs, self._reduction_axes, keepdims=True)
        variance = ops.mean(ops.square(inputs - ops.stop_gradient(mean)), self._reduction_axes)
        return ops.squeeze(mean, self._reduction_axes), variance
